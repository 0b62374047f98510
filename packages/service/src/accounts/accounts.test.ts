import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "../testing/fixture.ts";
import { KeyFormError, openAccounts } from "./accounts.ts";
import { EnvironmentMismatchError } from "./accounts-file.ts";
import { createApiKey, type Environment, parseApiKey } from "./api-key.ts";
import { createAuthenticate } from "./authenticate.ts";

const WALLET = `0x${"a1".repeat(20)}` as const;
const LIMITS = { perMinute: 60, burst: 5 };
const newKey = (environment: Environment = "sandbox") => createApiKey(environment, randomBytes);
const bearer = (token: string) => `Bearer ${token}`;

test("an account keeps its wallet; a wallet needs its account", (t) => {
  const accounts = openAccounts(join(temporaryHome(t), "accounts.db"), "sandbox");
  t.after(() => accounts.close());
  assert.equal(accounts.find("a"), undefined);
  accounts.ensure("a", 5);
  accounts.ensure("a", 6);
  assert.throws(() => accounts.setWallet("b", WALLET, 7), RangeError);
  accounts.setWallet("a", WALLET, 7);
  const rest = { agreement: undefined, chains: [], limits: undefined, suspended: false };
  assert.deepEqual(accounts.find("a"), { name: "a", wallet: WALLET, createdAtMs: 5, ...rest });
});

test("the sandbox takes any chain by its canonical form, production none that is not registered", (t) => {
  for (const [environment, expected] of [
    ["sandbox", { chainKey: "eip155:1" }],
    ["production", undefined],
  ] as const) {
    const accounts = openAccounts(join(temporaryHome(t), "accounts.db"), environment);
    t.after(() => accounts.close());
    accounts.ensure("a", 1);
    assert.deepEqual(accounts.resolveChain("a", "EIP155:1"), expected);
  }
});

test("a file belongs to one environment and is its owner's only", (t) => {
  const file = join(temporaryHome(t), "accounts.db");
  openAccounts(file, "production").close();
  assert.throws(() => openAccounts(file, "sandbox"), EnvironmentMismatchError);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("an adopted token is let in with every scope; its successor revokes it, for good", (t) => {
  const file = join(temporaryHome(t), "accounts.db");
  const accounts = openAccounts(file, "sandbox");
  const authenticate = createAuthenticate({ accounts, limits: LIMITS, now: Date.now });
  const [first, second] = [newKey(), newKey()];
  const o = { account: "sandbox", label: "sandbox token" };
  accounts.adoptToken(first.text, o, 1);
  accounts.adoptToken(first.text, o, 2);
  const admission = authenticate(bearer(first.text));
  assert.ok(admission.ok);
  assert.equal(admission.caller.account, "sandbox");
  assert.equal(admission.caller.keyId, first.id);
  assert.deepEqual(admission.caller.limits, LIMITS);
  assert.ok(admission.caller.scopes.has("reader:write") && admission.caller.scopes.has("sandbox:debug"));
  accounts.adoptToken(second.text, o, 3);
  assert.deepEqual(authenticate(bearer(first.text)), refused("the token is revoked"));
  assert.equal(authenticate(bearer(second.text)).ok, true);
  accounts.adoptToken(first.text, o, 4);
  assert.deepEqual(authenticate(bearer(first.text)), refused("the token is revoked"));
  accounts.close();
  for (const suffix of ["", "-wal"]) {
    const bytes = readIfThere(file + suffix);
    assert.equal(bytes.includes(first.text) || bytes.includes(first.text.slice(-56)), false, "only digests are stored");
  }
});

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

test("every other token is refused, with the reason that its bearer may know", (t) => {
  const accounts = openAccounts(join(temporaryHome(t), "accounts.db"), "production");
  t.after(() => accounts.close());
  const authenticate = createAuthenticate({ accounts, limits: LIMITS, now: Date.now });
  const known = newKey("production");
  accounts.adoptToken(known.text, { account: "a", label: "" }, 1);
  assert.throws(() => accounts.adoptToken(newKey("sandbox").text, { account: "a", label: "" }, 1), KeyFormError);
  const sameId = createApiKey("production", (n) => (n === 6 ? Buffer.from(known.id, "hex") : randomBytes(n)));
  assert.equal(sameId.id, known.id);
  const cases: readonly [string | undefined, string][] = [
    [bearer(newKey("sandbox").text), "this is a sandbox key, and this service is production"],
    [bearer(newKey("production").text), "the token is not known"],
    [bearer(sameId.text), "the token is not known"],
    [bearer(`${known.text}0`), "the token is not known"],
    [bearer("x".repeat(100_000)), "the token is not known"],
    [bearer("' OR 1=1 --"), "a bearer token is required"],
  ];
  for (const [header, detail] of cases) {
    const admission = authenticate(header);
    assert.equal(!admission.ok && admission.detail, detail);
  }
  for (const header of [undefined, "", "Bearer", "Bearer ", "Basic eA==", `Basic ${known.text}`, known.text]) {
    const admission = authenticate(header);
    assert.equal(!admission.ok && admission.code, "no-token");
  }
  assert.equal(authenticate(bearer(known.text)).ok, true);
  assert.equal(parseApiKey(known.text)?.environment, "production");
});

function refused(detail: string) {
  return { ok: false, code: "invalid-token", detail };
}
