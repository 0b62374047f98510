/** Logs of the long-running commands: JSON lines on standard error, secrets redacted at the logger. */
import { type DestinationStream, type Logger, pino } from "pino";

/** Levels of the log, each with all that are less detailed. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** One of them. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRETS = ["token", "password", "passphrase", "authorization", "privateKey", "secret"].flatMap((name) => [
  name,
  `*.${name}`,
]);

/** A logger writing to standard error, so that standard output stays for results. */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  const options = { level, redact: SECRETS, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line) => destination.write(withoutSecrets(line)) });
}

/** A line without service keys and tokens, and without user and password of URLs, wherever they stand. */
function withoutSecrets(line: string): string {
  return line
    .replaceAll(/\bcairn_(sbx|live|op|claim)_\w+/g, "cairn_$1_[redacted]")
    .replaceAll(/\b(https?:\/\/)[^\s/"@]+@/g, "$1[redacted]@");
}

/** SIGUSR2 switches a logger to `debug` and back. */
export function switchLevelOnSignal(log: Logger): void {
  const { level } = log;
  process.on("SIGUSR2", () => {
    log.level = log.level === "debug" ? level : "debug";
    log.warn({ level: log.level }, "log level switched");
  });
}

/** What lets a node change the level of its logger. */
export function levelOf(log: Logger): { readonly setLogLevel: (level: LogLevel) => void } {
  return {
    setLogLevel(level) {
      log.level = level;
    },
  };
}
