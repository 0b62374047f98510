/** `cairn keys` as a process of its own, beside an open connection as the running service has one. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Accounts, type Environment, endOfKey, openAccounts, parseApiKey } from "@cairn/service";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function cairn(...args: readonly string[]): Promise<Finished> {
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", MAIN, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, flags, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr });
    });
  });
}

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await cairn(...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

function home(t: TestContext, environment: Environment): { readonly dir: string; readonly accounts: Accounts } {
  const dir = mkdtempSync(join(tmpdir(), "cairn-keys-"));
  mkdirSync(join(dir, "service"));
  const accounts = openAccounts(join(dir, "service", "accounts.db"), environment);
  t.after(() => {
    accounts.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return { dir, accounts };
}

test("issue, list, rotate and revoke: the open service sees each at once", { timeout: 60_000 }, async (t) => {
  const { dir, accounts } = home(t, "sandbox");
  const issued = await json("keys", "issue", "--home", dir, "--account", "acme", "--new-account", "--label", "ci");
  assert.equal(parseApiKey(issued.key)?.id, issued.id);
  assert.equal(issued.expires_at, null);
  assert.equal(accounts.findKey(issued.id)?.account, "acme");
  assert.deepEqual(issued.scopes, ["proofs:write", "proofs:read", "account:read", "account:write", "webhooks:write"]);
  const rotated = await json("keys", "rotate", issued.id, "--home", dir, "--overlap", "1h");
  assert.equal(rotated.replaced, issued.id);
  const [live, old] = await json("keys", "list", "--home", dir, "--account", "acme");
  assert.deepEqual([live.id, live.state, old.id, old.state], [rotated.id, "live", issued.id, "rotated"]);
  assert.equal(JSON.stringify([live, old]).includes(rotated.key), false);
  const shown = await cairn("keys", "list", "--home", dir);
  assert.match(shown.stdout, new RegExp(`^${rotated.id} +acme +live +- +- +proofs:write,.* ci$`, "m"));
  const revoked = await json("keys", "revoke", rotated.id, "--home", dir);
  const record = accounts.findKey(rotated.id);
  assert.ok(record);
  assert.equal(endOfKey(record, Date.now()), "revoked");
  assert.equal(revoked.account, "acme");
});

test("a production key ends after a year; alone on standard output", { timeout: 60_000 }, async (t) => {
  const { dir, accounts } = home(t, "production");
  const scope = "proofs:read";
  const { stdout } = await cairn("keys", "issue", "--home", dir, "--account", "a", "--new-account", "--scope", scope);
  const key = parseApiKey(stdout.trim());
  assert.equal(key?.environment, "production");
  const record = accounts.findKey(key.id);
  assert.deepEqual(record?.scopes, [scope]);
  const days = ((record.expiresAtMs ?? 0) - record.createdAtMs) / 86_400_000;
  assert.ok(days > 364.9 && days < 365.1);
});

test("refusals say what to do, with their exit code", { timeout: 60_000 }, async (t) => {
  const { dir } = home(t, "sandbox");
  const cases: readonly [readonly string[], number, RegExp][] = [
    [["keys", "issue", "--home", dir, "--account", "nobody"], 1, /no account nobody/],
    [["keys", "issue", "--home", dir, "--account", "A B", "--new-account"], 2, /cannot be an account's name/],
    [["keys", "issue", "--home", dir], 2, /--account/],
    [["keys", "issue", "--home", dir, "--account", "a", "--scope", "everything"], 2, /expected scopes of proofs:write/],
    [["keys", "issue", "--home", dir, "--account", "a", "--expires", "soon"], 2, /90d, 12h/],
    [["keys", "rotate", "000000000000", "--home", dir], 1, /no key with this id/],
    [["keys", "revoke", "000000000000", "--home", dir], 1, /no key with this id/],
    [["keys", "list", "--home", join(dir, "elsewhere")], 1, /start the service of this home once/],
  ];
  const finished = await Promise.all(cases.map(([args]) => cairn(...args)));
  for (const [index, [args, code, message]] of cases.entries()) {
    assert.equal(finished[index]?.code, code, args.join(" "));
    assert.match(finished[index]?.stderr ?? "", message);
    assert.equal(finished[index]?.stdout, "");
  }
});

test("every command has its help with an example", { timeout: 60_000 }, async () => {
  for (const command of ["issue", "rotate", "revoke", "list"]) {
    const { code, stdout } = await cairn("keys", command, "--help");
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`Example:\\n {2}cairn keys ${command} .+\\n+Exit codes: `));
  }
});
