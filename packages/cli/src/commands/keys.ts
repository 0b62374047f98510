/** `cairn keys`: the operator's hand on API keys. Works on the home's accounts, whether the service runs or not. */
import { endOfKey, type IssuedKey, type KeyRecord } from "@cairn/service";
import { type Command, Option } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding } from "../help-ending.ts";
import {
  addDeskFlags,
  atDesk,
  DESK_CODES,
  type DeskFlags,
  expiryOf,
  INTEGRATOR_SCOPES,
  parseDuration,
  parseExpiry,
  parseScopes,
  print,
  showTime,
  table,
} from "../operator/desk.ts";
import { addRequiredOption } from "../usage.ts";

interface IssueFlags extends DeskFlags {
  readonly account: string;
  readonly newAccount?: boolean;
  readonly scope?: KeyRecord["scopes"];
  readonly label: string;
  readonly expires?: number | "never";
}

interface RotateFlags extends DeskFlags {
  readonly overlap: number;
  readonly expires?: number | "never";
}

const DAY_MS = 86_400_000;
const MAX_LABEL = 128;

/** Adds the command to the program. */
export function addKeysCommand(program: Command): void {
  const keys = program.command("keys").description("issue, rotate, revoke and list API keys (operator)");
  addIssue(keys.command("issue"));
  addDeskFlags(keys.command("rotate <id>"), "cairn keys rotate 1f0c2a9b7d3e --overlap 12h")
    .description("make a key's successor; both are valid until the overlap ends")
    .addOption(
      new Option("--overlap <duration>", "how long the old key stays valid")
        .argParser(parseDuration)
        .default(DAY_MS, "1d"),
    )
    .option("--expires <duration>", "of the new key, or never (default: a year in production)", parseExpiry)
    .action(rotate);
  addDeskFlags(keys.command("revoke <id>"), "cairn keys revoke 1f0c2a9b7d3e")
    .description("end a key at once, its open streams and long polls too")
    .action(revoke);
  addDeskFlags(keys.command("list"), "cairn keys list --account acme")
    .description("print keys, the newest first; never their secrets")
    .option("--account <name>", "only this account's")
    .option("--all", "also revoked and expired ones")
    .action(list);
  addEnding(keys, {
    examples: ["cairn keys issue --account acme --scope proofs:write,proofs:read --expires 90d", "cairn keys list"],
    codes: DESK_CODES,
  });
}

function addIssue(command: Command): void {
  addRequiredOption(command, "--account <name>", "whose key");
  addDeskFlags(command, "cairn keys issue --account acme --scope proofs:write,proofs:read --expires 90d")
    .description("make a key for an account and print it: the only time it is shown")
    .option("--new-account", "make the account where it is missing")
    .option("--scope <scopes>", `separated by commas, or all (default: ${INTEGRATOR_SCOPES.join(",")})`, parseScopes)
    .addOption(new Option("--label <text>", "what the key is for").default("", "none"))
    .option("--expires <duration>", "as 90d, or never (default: a year in production, never in a sandbox)", parseExpiry)
    .action(issue);
}

function issue(flags: IssueFlags): void {
  if (flags.label.length > MAX_LABEL)
    throw new CommandError(`--label has more than ${MAX_LABEL} characters`, EXIT.usage);
  const { account, label, scope: scopes = INTEGRATOR_SCOPES, newAccount = false } = flags;
  const outcome = atDesk(flags, (operator) =>
    operator.issueKey({ account, newAccount, label, scopes, expiresAtMs: expiryOf(operator, flags.expires) }),
  );
  if (!outcome.ok) {
    throw outcome.code === "unknown-account"
      ? new CommandError(`there is no account ${account}: approve its request, or add --new-account`)
      : new CommandError(
          `${account} cannot be an account's name: a-z, 0-9, dot, dash, underscore, up to 63`,
          EXIT.usage,
        );
  }
  print(flags, issuedFacts(outcome.issued), [outcome.issued.key]);
}

const ROTATE_REFUSALS = {
  "unknown-key": "there is no key with this id (cairn keys list shows them)",
  "key-ended": "the key has ended: issue another one",
  "already-rotated": "the key has a successor already: rotate that one",
} as const;

function rotate(id: string, flags: RotateFlags): void {
  const outcome = atDesk(flags, (operator) =>
    operator.rotateKey({ id, overlapMs: flags.overlap, expiresAtMs: expiryOf(operator, flags.expires) }),
  );
  if (!outcome.ok) throw new CommandError(ROTATE_REFUSALS[outcome.code]);
  const { issued, replaced, replacedEndsAtMs } = outcome;
  const facts = { ...issuedFacts(issued), replaced, replaced_ends_at: showTime(replacedEndsAtMs) };
  print(flags, facts, [issued.key]);
  if (flags.json !== true) process.stderr.write(`the key ${replaced} ends at ${showTime(replacedEndsAtMs)}\n`);
}

function revoke(id: string, flags: DeskFlags): void {
  const key = atDesk(flags, (operator) => operator.revokeKey(id));
  if (key === undefined) throw new CommandError(ROTATE_REFUSALS["unknown-key"]);
  const revokedAt = showTime(key.revokedAtMs);
  print(flags, { id, account: key.account, revoked_at: revokedAt }, [
    `revoked ${id} of ${key.account} at ${revokedAt}`,
  ]);
}

function list(flags: DeskFlags & { readonly account?: string; readonly all?: boolean }): void {
  const nowMs = Date.now();
  const keys = atDesk(flags, (operator) => operator.keys(flags.account));
  const shown = keys.filter((key) => flags.all === true || endOfKey(key, nowMs) === undefined);
  const rows = shown.map((key) => [
    key.id,
    key.account,
    endOfKey(key, nowMs) ?? (key.rotatedTo === undefined ? "live" : "rotated"),
    showTime(key.expiresAtMs),
    showTime(key.lastUsedAtMs),
    key.scopes.join(","),
    key.label,
  ]);
  const head = ["id", "account", "state", "expires", "last used", "scopes", "label"];
  print(
    flags,
    shown.map((key) => listedFacts(key, nowMs)),
    rows.length === 0 ? [] : table([head, ...rows]),
  );
}

function issuedFacts({ key, id, account, scopes, label, expiresAtMs }: IssuedKey) {
  return { key, id, account, scopes, label, expires_at: expiresAtMs === undefined ? null : showTime(expiresAtMs) };
}

function listedFacts(key: KeyRecord, nowMs: number) {
  const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : showTime(ms));
  return {
    id: key.id,
    account: key.account,
    state: endOfKey(key, nowMs) ?? (key.rotatedTo === undefined ? "live" : "rotated"),
    scopes: key.scopes,
    label: key.label,
    created_at: showTime(key.createdAtMs),
    expires_at: timeOrNull(key.expiresAtMs),
    revoked_at: timeOrNull(key.revokedAtMs),
    rotated_to: key.rotatedTo ?? null,
    last_used_at: timeOrNull(key.lastUsedAtMs),
  };
}
