/** What the operator's commands share: the home whose accounts are meant, who acts, options and their forms. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { ALL_SCOPES, type KeyRecord, type Operator, openOperator } from "@cairn/service";
import { type Command, InvalidArgumentError } from "commander";
import { addEnding } from "../help-ending.ts";
import { DEFAULT_SANDBOX_HOME } from "../sandbox/ready.ts";

/** Flags of every operator command. */
export interface DeskFlags {
  readonly home?: string;
  readonly json?: boolean;
}

/** Exit codes of every operator command, in words. */
export const DESK_CODES = "0 done, 1 failed or refused, 2 wrong usage";

/** Adds the flags that name the home, and the end of the help with an example. */
export function addDeskFlags(command: Command, example: string): Command {
  return addEnding(command, { examples: [example], codes: DESK_CODES })
    .option(
      "--home <dir>",
      `of the service (or CAIRN_HOME; default ${DEFAULT_SANDBOX_HOME} where it is, else ~/.cairn)`,
    )
    .option("--json", "print JSON");
}

/** Works on the accounts of the home, and closes them. */
export function atDesk<T>(flags: DeskFlags, work: (operator: Operator) => T): T {
  const file = join(homeOf(flags), "service", "accounts.db");
  const operator = openOperator(file, { actor: actor(), now: Date.now });
  try {
    return work(operator);
  } finally {
    operator.close();
  }
}

/** The home that is meant: the one named, else the sandbox of this directory, else the user's. */
export function homeOf(flags: DeskFlags): string {
  const named = flags.home ?? process.env.CAIRN_HOME;
  if (named !== undefined) return named;
  return existsSync(DEFAULT_SANDBOX_HOME) ? DEFAULT_SANDBOX_HOME : join(process.env.HOME ?? ".", ".cairn");
}

/** Who is written into the audit log: the user of the operating system, and who became it by sudo. */
function actor(): string {
  const { username } = userInfo();
  const behind = process.env.SUDO_USER;
  return behind === undefined || behind === username ? username : `${username} (sudo of ${behind})`;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DURATION_MS = 3_650 * 86_400_000;

/** A duration as `30d`, `12h`, `5m`, `0s`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(ms) || ms > MAX_DURATION_MS) {
    throw new InvalidArgumentError("expected a duration up to ten years, as 90d, 12h, 30m or 0s");
  }
  return ms;
}

/** A duration, or `never`. */
export function parseExpiry(text: string): number | "never" {
  return text === "never" ? text : parseDuration(text);
}

/** Scopes separated by commas, or `all`. */
export function parseScopes(text: string): KeyRecord["scopes"] {
  if (text === "all") return ALL_SCOPES;
  return text.split(",").map((name) => {
    const scope = ALL_SCOPES.find((known) => known === name.trim());
    if (scope === undefined) throw new InvalidArgumentError(`expected scopes of ${ALL_SCOPES.join(", ")}`);
    return scope;
  });
}

/** What a key may do when nothing is said: everything an integrator needs. */
export const INTEGRATOR_SCOPES: KeyRecord["scopes"] = ALL_SCOPES.filter(
  (scope) => scope !== "reader:write" && scope !== "sandbox:debug",
);

const PRODUCTION_KEY_MS = 31_536_000_000;

/** When a key ends: as asked, else after a year in production and never in the sandbox. */
export function expiryOf(operator: Operator, asked: number | "never" | undefined): number | undefined {
  if (asked === "never") return undefined;
  const ms = asked ?? (operator.environment === "production" ? PRODUCTION_KEY_MS : undefined);
  return ms === undefined ? undefined : Date.now() + ms;
}

/** RFC 3339; a dash where there is no time. */
export function showTime(ms: number | undefined): string {
  return ms === undefined ? "-" : new Date(ms).toISOString();
}

/** Prints one JSON value or lines of text. */
export function print(flags: DeskFlags, facts: unknown, lines: readonly string[]): void {
  const text = flags.json === true ? JSON.stringify(facts) : lines.join("\n");
  if (text !== "") process.stdout.write(`${text}\n`);
}

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
