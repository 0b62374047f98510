/** Logs of the long-running commands: JSON lines on standard error, secrets redacted at the logger. */
import { type Logger, pino } from "pino";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRETS = [
  "token",
  "*.token",
  "password",
  "*.password",
  "authorization",
  "*.authorization",
  "privateKey",
  "*.privateKey",
];

/** A logger writing to standard error, so that standard output stays for results. */
export function createLog(level: LogLevel): Logger {
  return pino({ level, redact: SECRETS, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** What lets a node change the level of its logger. */
export function levelOf(log: Logger): { readonly setLogLevel: (level: LogLevel) => void } {
  return {
    setLogLevel(level) {
      log.level = level;
    },
  };
}
