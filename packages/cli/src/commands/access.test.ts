/** `cairn access` as a process of its own, beside an open connection as the running service has one. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Accounts, openAccounts } from "@cairn/service";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const VK = `0x${"ab".repeat(32)}`;
const AGREEMENT = ["--quota", "10000/day", "--plan", "basic", "--settlement-days", "30"];

interface Bench {
  readonly dir: string;
  readonly accounts: Accounts;
  cairn(
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** The id and the claim secret of a new request. */
  ask(organisation: string, chains?: readonly string[]): { readonly id: string; readonly secret: string };
}

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

function bench(t: TestContext): Bench {
  const dir = mkdtempSync(join(tmpdir(), "cairn-access-"));
  mkdirSync(join(dir, "service"));
  const accounts = openAccounts(join(dir, "service", "accounts.db"), "production");
  t.after(() => {
    accounts.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", MAIN, "access"];
  return {
    dir,
    accounts,
    cairn: (...args) =>
      new Promise((resolve) => {
        const child = execFile(process.execPath, [...flags, ...args, "--home", dir], (_, stdout, stderr) => {
          resolve({ code: child.exitCode ?? 1, stdout, stderr });
        });
      }),
    ask: (organisation, chain_ids = ["eip155:59144"]) => {
      const noted = accounts.noteRequest(
        { organisation, contact: "ops@example.com", chain_ids: [...chain_ids] },
        { id: `req_${hex(9)}`, claimSecret: `cairn_claim_${hex(24)}` },
        Date.now(),
      );
      assert.ok(noted.ok);
      return { id: noted.request.id, secret: noted.claimSecret };
    },
  };
}

test("list, approve, claim, revoke, audit", { timeout: 90_000 }, async (t) => {
  const { accounts, cairn, ask } = bench(t);
  const claim = ask("Acme Rollup, Inc.");
  const listed = await cairn("list", "--json");
  assert.equal(JSON.parse(listed.stdout).requests[0].id, claim.id);
  const profile = `system=groth16,encoding=snarkjs-json,curve=bn254,vk=${VK}`;
  const limited = ["--rate", "600/min", "--burst", "50"];
  const terms = [...AGREEMENT, ...limited, "--alias", "Linea", "--profile", profile, "--json"];
  const approved = await cairn("approve", claim.id, ...terms);
  assert.equal(approved.code, 0, approved.stderr);
  const { account, agreement, limits, chains } = JSON.parse(approved.stdout);
  assert.equal(account, "acme-rollup-inc");
  assert.deepEqual(agreement, { per_day: 10_000, plan: "basic", settlement_days: 30 });
  assert.deepEqual(limits, { per_minute: 600, burst: 50 });
  const bn254 = { system: "groth16", encoding: "snarkjs-json", curve: "bn254", vkHash: VK };
  assert.deepEqual(chains, [{ chain: "eip155:59144", aliases: ["linea"], profile: bn254 }]);
  const claimed = accounts.readRequest({ ...claim, take: true }, Date.now());
  assert.match(claimed?.issued?.key ?? "", /^cairn_live_/);
  assert.ok((claimed?.issued?.expiresAtMs ?? 0) > Date.now() + 364 * 86_400_000);
  const changed = await cairn("approve", account, "--quota", "unlimited", "--plan", "pro", "--settlement-days", "7");
  assert.match(
    changed.stdout,
    /^acme-rollup-inc +active +unlimited pro 7d +600\/min burst 50 +- +eip155:59144=linea$/m,
  );
  const revoked = await cairn("revoke", account);
  assert.equal(revoked.stdout, "suspended acme-rollup-inc, revoked 1 keys\n");
  const audit = JSON.parse((await cairn("audit", "--json")).stdout);
  const actions = ["account-created", "request-approved", "agreement-set", "key-claimed", "agreement-set"];
  assert.equal(audit.intact, true);
  assert.deepEqual(audit.log.map((entry: { action: string }) => entry.action).reverse(), [
    ...actions,
    "account-revoked",
  ]);
  assert.equal((await cairn("audit", "--contains", audit.log[3].hash)).code, 0);
});

test("refusals say what to do, with their exit code, and change nothing", { timeout: 90_000 }, async (t) => {
  const { accounts, cairn, ask } = bench(t);
  const [first, second] = [ask("One"), ask("Two", ["a", "b"])];
  const approve = (...args: readonly string[]) => ["approve", second.id, ...args] as const;
  const cases: readonly [readonly string[], number, RegExp][] = [
    [["approve", "req_none", ...AGREEMENT], 1, /no request with this id/],
    [["approve", "nobody", ...AGREEMENT], 1, /no such account/],
    [approve(), 2, /need --quota, --plan and --settlement-days/],
    [approve("--quota", "5/day"), 2, /all of --quota, --plan and --settlement-days/],
    [approve(...AGREEMENT, "--alias", "x"), 2, /which of the chains it is for: a, b/],
    [approve(...AGREEMENT, "--alias", "x=c"), 2, /which of the chains/],
    [approve(...AGREEMENT, "--alias", "b=a"), 1, /b stands for another chain/],
    [approve(...AGREEMENT, "--profile", "system=groth16"), 2, /system=… and encoding=…/],
    [approve(...AGREEMENT, "--profile", "system=groth16,encoding=x,vk=0x1"), 2, /32 bytes of 0x-hex/],
    [approve("--quota", "many"), 2, /600\/day, or unlimited/],
    [["revoke", "nobody"], 1, /no such account/],
    [["audit", "--contains", `0x${"00".repeat(32)}`], 1, /no entry has this hash/],
  ];
  const finished = [];
  for (const [args] of cases) finished.push(await cairn(...args));
  for (const [index, [args, code, message]] of cases.entries()) {
    assert.match(finished[index]?.stderr ?? "", message, args.join(" "));
    assert.equal(finished[index]?.code, code, args.join(" "));
  }
  for (const claim of [first, second]) {
    assert.equal(accounts.readRequest({ ...claim, take: true }, Date.now())?.request.state, "pending");
  }
  assert.equal(accounts.find("two"), undefined);
});

test("a change names what changes: quota, rate and chains each by itself", { timeout: 90_000 }, async (t) => {
  const { cairn, ask } = bench(t);
  const { id } = ask("Acme");
  const approved = await cairn("approve", id, ...AGREEMENT, "--rate", "600/min");
  assert.match(approved.stderr, /^note: .* no price plan basic: until they do, standard holds\n$/);
  const change = async (...args: readonly string[]) =>
    JSON.parse((await cairn("approve", "acme", "--json", ...args)).stdout);
  const bare = await change("--chain", "b");
  assert.deepEqual(bare.agreement, { per_day: 10_000, plan: "basic", settlement_days: 30 });
  assert.deepEqual(bare.limits, { per_minute: 600, burst: 300 });
  assert.deepEqual((await change("--quota", "20/day")).agreement, { ...bare.agreement, per_day: 20 });
  assert.equal((await change("--rate", "service")).limits, null);
  assert.equal((await cairn("approve", "acme", "--plan", "standard")).stderr, "");
});

test("a log that was altered is told, and a key is given only to who asked", { timeout: 60_000 }, async (t) => {
  const { dir, accounts, cairn, ask } = bench(t);
  const claim = ask("Acme");
  await cairn("approve", claim.id, ...AGREEMENT);
  assert.equal((await cairn("revoke", claim.id)).code, 0);
  assert.equal(accounts.readRequest({ ...claim, take: true }, Date.now())?.issued, undefined);
  const raw = new DatabaseSync(join(dir, "service", "accounts.db"));
  raw.exec("DROP TRIGGER audit_fixed; UPDATE audit SET actor = 'somebody else' WHERE seq = 2");
  raw.close();
  const { code, stderr } = await cairn("audit");
  assert.deepEqual([code, stderr], [1, "cairn: the log was altered at entry 2\n"]);
});
