/** `cairn access`: who may use the service. Works on the home's accounts, whether the service runs or not. */
import {
  type AccessRequest,
  type Account,
  type ApproveOutcome,
  configuredPlans,
  type Operator,
  type Terms,
} from "@cairn/service";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding } from "../help-ending.ts";
import { integerOption } from "../integer-option.ts";
import {
  addDeskFlags,
  atDesk,
  DESK_CODES,
  type DeskFlags,
  expiryOf,
  homeOf,
  INTEGRATOR_SCOPES,
  parseExpiry,
  parseScopes,
  print,
  showTime,
  table,
} from "../operator/desk.ts";
import { addTermFlags, type TermFlags, termsOf } from "../operator/terms.ts";

interface ApproveFlags extends TermFlags {
  readonly account?: string;
  readonly existing?: boolean;
  readonly scope?: typeof INTEGRATOR_SCOPES;
  readonly expires?: number | "never";
}

const EXAMPLE =
  "cairn access approve req_4f7a1c9e2b6d --account acme --quota 10000/day --plan basic --settlement-days 30 \\\n" +
  "    --chain eip155:59144 --alias linea --profile system=groth16,encoding=snarkjs-json,curve=bn254";

/** Adds the command to the program. */
export function addAccessCommand(program: Command): void {
  const access = program.command("access").description("requests for access, accounts and their terms (operator)");
  addDeskFlags(access.command("list"), "cairn access list")
    .description("print open requests and all accounts")
    .option("--all", "also requests that are decided or expired")
    .action(list);
  addApprove(access.command("approve <id>"));
  addDeskFlags(access.command("revoke <id>"), "cairn access revoke acme")
    .description("reject an open request, or suspend an account and end all its keys")
    .action(revoke);
  addDeskFlags(access.command("audit"), "cairn access audit --limit 10")
    .description("print what operators did, newest first, and check that nothing of it was altered")
    .option("--limit <n>", "entries printed", integerOption(1, 100_000), 50)
    .option("--contains <hash>", "fail unless an entry with this hash, noted earlier, is still there")
    .action(audit);
  addEnding(access, { examples: ["cairn access list", EXAMPLE], codes: DESK_CODES });
}

function addApprove(command: Command): void {
  addTermFlags(addDeskFlags(command, EXAMPLE))
    .description("approve a request, whose sender then claims the key; or change the terms of an account")
    .option("--account <name>", "of the account that is made (default: made of the organisation's name)")
    .option("--existing", "the account is there already and gets another key")
    .option(
      "--scope <scopes>",
      `of the key, separated by commas (default: ${INTEGRATOR_SCOPES.join(",")})`,
      parseScopes,
    )
    .option("--expires <duration>", "of the key, from its claim, or never (default: a year in production)", parseExpiry)
    .action(approve);
}

function list(flags: DeskFlags & { readonly all?: boolean }): void {
  const found = atDesk(flags, (operator) => ({
    requests: operator.requests(flags.all === true),
    accounts: operator.accounts(),
  }));
  const facts = { requests: found.requests.map(requestFacts), accounts: found.accounts.map(accountFacts) };
  print(flags, facts, [...requestLines(found.requests), "", ...accountLines(found.accounts)]);
}

function approve(id: string, flags: ApproveFlags): void {
  const outcome = atDesk(flags, (operator) =>
    id.startsWith("req_") ? grant(operator, id, flags) : change(operator, id, flags),
  );
  if (!outcome.ok) throw refusal(outcome);
  const { account } = outcome;
  const plan = account.agreement?.plan;
  if (plan !== undefined && configuredPlans(homeOf(flags), process.env)?.includes(plan) === false) {
    process.stderr.write(`note: the settings of this home have no price plan ${plan}: until they do, standard holds\n`);
  }
  print(flags, accountFacts(account), [
    ...accountLines([account]),
    ...(id.startsWith("req_") ? [`approved ${id}: its sender gets the key at the next look at its status`] : []),
  ]);
}

function grant(operator: Operator, id: string, flags: ApproveFlags): ApproveOutcome {
  const request = operator.requests(true).find((known) => known.id === id);
  if (request === undefined) return { ok: false, code: "unknown-request" };
  const account = flags.account ?? accountNameOf(request.organisation);
  const expiresAtMs = expiryOf(operator, flags.expires);
  const before = operator.accounts().find(({ name }) => name === account);
  return operator.approve({
    ...checkedTerms(operator, termsOf(account, flags, { before, asked: request.chainIds })),
    id,
    existingAccount: flags.existing === true,
    scopes: flags.scope ?? INTEGRATOR_SCOPES,
    keyLifetimeMs: expiresAtMs === undefined ? undefined : expiresAtMs - Date.now(),
  });
}

function change(operator: Operator, account: string, flags: ApproveFlags): ApproveOutcome {
  if (
    flags.account !== undefined ||
    flags.existing === true ||
    flags.scope !== undefined ||
    flags.expires !== undefined
  ) {
    throw new CommandError("--account, --existing, --scope and --expires are for requests", EXIT.usage);
  }
  const before = operator.accounts().find(({ name }) => name === account);
  return operator.setTerms(checkedTerms(operator, termsOf(account, flags, { before, asked: [] })));
}

function checkedTerms(operator: Operator, terms: Terms): Terms {
  if (operator.environment === "production" && terms.agreement === undefined) {
    throw new CommandError("production accounts need --quota, --plan and --settlement-days", EXIT.usage);
  }
  return terms;
}

/** A name for an account: the organisation's, in small letters, digits and dashes. */
function accountNameOf(organisation: string): string {
  const plain = organisation.normalize("NFKD").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 48)
    .replaceAll(/^-+|-+$/g, "");
}

function refusal(outcome: Extract<ApproveOutcome, { ok: false }>): CommandError {
  switch (outcome.code) {
    case "unknown-request":
      return new CommandError("there is no request with this id (cairn access list shows them)");
    case "unknown-account":
      return new CommandError("there is no such account (cairn access list shows them)");
    case "account-exists":
      return new CommandError("there is an account of this name: name another by --account, or add --existing");
    case "bad-account-name":
      return new CommandError("the account needs a name by --account: a-z, 0-9, dot, dash, underscore", EXIT.usage);
    case "not-open":
      return new CommandError(`the request is ${outcome.state}`);
    default:
      return new CommandError(`${outcome.name} stands for another chain of the account already`);
  }
}

function revoke(id: string, flags: DeskFlags): void {
  const facts = atDesk(flags, (operator) => (id.startsWith("req_") ? rejected(operator, id) : suspended(operator, id)));
  print(flags, facts.json, [facts.line]);
}

function rejected(operator: Operator, id: string) {
  const outcome = operator.reject(id);
  if (!outcome.ok) throw refusal(outcome);
  return { json: requestFacts(outcome.request), line: `rejected ${id}` };
}

function suspended(operator: Operator, account: string) {
  const outcome = operator.revokeAccount(account);
  if (outcome === undefined) throw refusal({ ok: false, code: "unknown-account" });
  const { keysRevoked } = outcome;
  return { json: { account, keys_revoked: keysRevoked }, line: `suspended ${account}, revoked ${keysRevoked} keys` };
}

function audit(flags: DeskFlags & { readonly limit: number; readonly contains?: string }): void {
  const wanted = flags.contains?.toLowerCase();
  if (wanted !== undefined && !/^0x[0-9a-f]{64}$/.test(wanted)) {
    throw new CommandError("--contains takes a hash of 32 bytes in 0x-hex", EXIT.usage);
  }
  const found = atDesk(flags, (operator) => ({
    entries: operator.audit(flags.limit),
    verdict: operator.verifyAudit(),
    contains: wanted === undefined || operator.isAudited(Buffer.from(wanted.slice(2), "hex")),
  }));
  const { entries, verdict } = found;
  const facts = entries.map(({ atMs, ...entry }) => ({ ...entry, at: showTime(atMs) }));
  const lines = entries.map(
    (entry) =>
      `${showTime(entry.atMs)}  ${entry.actor}  ${entry.action}  ${entry.subject}  ${JSON.stringify(entry.detail)}`,
  );
  print(flags, { intact: verdict.ok, ...verdict, contains: found.contains, log: facts }, [
    ...lines,
    verdictLine(verdict),
  ]);
  if (!verdict.ok) throw new CommandError(`the log was altered at entry ${verdict.seq}`);
  if (!found.contains) throw new CommandError("no entry has this hash: what stood there was removed or replaced");
}

function verdictLine(verdict: ReturnType<Operator["verifyAudit"]>): string {
  if (!verdict.ok) return "";
  return `intact: ${verdict.entries} entries${verdict.head === undefined ? "" : `, newest hash ${verdict.head}`}`;
}

function requestLines(requests: readonly AccessRequest[]): readonly string[] {
  if (requests.length === 0) return ["no open requests"];
  const rows = requests.map((request) => [
    request.id,
    request.state,
    showTime(request.createdAtMs),
    request.organisation,
    request.contact,
    request.chainIds.join(","),
    request.expectedPerDay === undefined ? "-" : `${request.expectedPerDay}/day`,
  ]);
  return table([["request", "state", "created", "organisation", "contact", "chains", "expects"], ...rows]);
}

function accountLines(accounts: readonly Account[]): readonly string[] {
  if (accounts.length === 0) return ["no accounts"];
  const rows = accounts.map(({ name, suspended: isSuspended, agreement, limits, wallet, chains }) => [
    name,
    isSuspended ? "suspended" : "active",
    agreement === undefined
      ? "-"
      : `${agreement.perDay === 0 ? "unlimited" : `${agreement.perDay}/day`} ${agreement.plan} ${agreement.settlementDays}d`,
    limits === undefined ? "-" : `${limits.perMinute}/min burst ${limits.burst}`,
    wallet ?? "-",
    chains.map(({ chainKey, aliases }) => [chainKey, ...aliases].join("=")).join(",") || "-",
  ]);
  return table([["account", "state", "agreement", "limits", "wallet", "chains"], ...rows]);
}

function requestFacts(request: AccessRequest) {
  return {
    id: request.id,
    state: request.state,
    organisation: request.organisation,
    contact: request.contact,
    chain_ids: request.chainIds,
    expected_per_day: request.expectedPerDay ?? null,
    message: request.message ?? null,
    created_at: showTime(request.createdAtMs),
    expires_at: showTime(request.expiresAtMs),
    account: request.account ?? null,
    key_id: request.keyId ?? null,
  };
}

function accountFacts({ name, suspended: isSuspended, agreement, limits, wallet, chains, createdAtMs }: Account) {
  return {
    account: name,
    suspended: isSuspended,
    created_at: showTime(createdAtMs),
    wallet: wallet ?? null,
    agreement:
      agreement === undefined
        ? null
        : { per_day: agreement.perDay, plan: agreement.plan, settlement_days: agreement.settlementDays },
    limits: limits === undefined ? null : { per_minute: limits.perMinute, burst: limits.burst },
    chains: chains.map(({ chainKey, aliases, profile }) => ({ chain: chainKey, aliases, profile: profile ?? null })),
  };
}
