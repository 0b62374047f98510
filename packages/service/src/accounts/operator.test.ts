import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "../testing/fixture.ts";
import { type Accounts, openAccounts } from "./accounts.ts";
import { NoAccountsError } from "./accounts-file.ts";
import { createAuthenticate } from "./authenticate.ts";
import { createKeyUses } from "./key-uses.ts";
import type { IssuedKey } from "./keys.ts";
import { type Operator, openOperator } from "./operator.ts";

interface Bench {
  readonly file: string;
  readonly accounts: Accounts;
  readonly operator: Operator;
  readonly clock: { nowMs: number };
  /** What becomes of a key: `ok`, or why not. */
  outcome(key: IssuedKey): string;
  issue(o?: { readonly expiresAtMs?: number }): IssuedKey;
}

/** Two connections to one file, as the service and an operator's command have them. */
function bench(t: TestContext): Bench {
  const file = join(temporaryHome(t), "accounts.db");
  const clock = { nowMs: 1_000_000 };
  const now = (): number => clock.nowMs;
  const accounts = openAccounts(file, "production");
  const operator = openOperator(file, { actor: "ann", now });
  t.after(() => {
    accounts.close();
    operator.close();
  });
  const authenticate = createAuthenticate({ accounts, limits: { perMinute: 0, burst: 0 }, now });
  const outcome = ({ key }: IssuedKey): string => {
    const admission = authenticate(`Bearer ${key}`);
    return admission.ok ? "ok" : admission.detail;
  };
  const issue = (o: { readonly expiresAtMs?: number } = {}): IssuedKey => {
    const order = { account: "acme", newAccount: true, label: "ci", expiresAtMs: o.expiresAtMs };
    const issued = operator.issueKey({ ...order, scopes: ["proofs:write", "proofs:read"] });
    assert.ok(issued.ok);
    return issued.issued;
  };
  return { file, accounts, operator, clock, outcome, issue };
}

test("a key is let in at once, until it expires", (t) => {
  const { outcome, issue, clock } = bench(t);
  const key = issue({ expiresAtMs: clock.nowMs + 10 });
  assert.match(key.key, /^cairn_live_/);
  assert.equal(outcome(key), "ok");
  clock.nowMs += 10;
  assert.equal(outcome(key), "the token has expired");
});

test("rotation: both are valid for the overlap, never three; revocation is at once and for good", (t) => {
  const { outcome, issue, clock, operator } = bench(t);
  const first = issue();
  const rotated = operator.rotateKey({ id: first.id, overlapMs: 50, expiresAtMs: undefined });
  assert.ok(rotated.ok);
  const { issued: second } = rotated;
  assert.deepEqual(second.scopes, first.scopes);
  assert.deepEqual([outcome(first), outcome(second)], ["ok", "ok"]);
  const again = operator.rotateKey({ id: first.id, overlapMs: 50, expiresAtMs: undefined });
  assert.deepEqual(again, { ok: false, code: "already-rotated" });
  clock.nowMs += 50;
  assert.deepEqual([outcome(first), outcome(second)], ["the token has expired", "ok"]);
  assert.deepEqual(operator.rotateKey({ id: first.id, overlapMs: 50, expiresAtMs: undefined }), {
    ok: false,
    code: "key-ended",
  });
  const revoked = operator.revokeKey(second.id);
  assert.equal(revoked?.revokedAtMs, clock.nowMs);
  assert.equal(outcome(second), "the token is revoked");
  clock.nowMs += 1;
  assert.equal(operator.revokeKey(second.id)?.revokedAtMs, clock.nowMs - 1, "a second revocation changes nothing");
  assert.equal(operator.revokeKey("000000000000"), undefined);
  assert.deepEqual(operator.rotateKey({ id: "000000000000", overlapMs: 0, expiresAtMs: undefined }), {
    ok: false,
    code: "unknown-key",
  });
});

test("an overlap never lengthens a key's own expiry; an overlap of nothing ends it now", (t) => {
  const { outcome, issue, clock, operator } = bench(t);
  const short = issue({ expiresAtMs: clock.nowMs + 10 });
  const rotated = operator.rotateKey({ id: short.id, overlapMs: 1_000, expiresAtMs: undefined });
  assert.equal(rotated.ok && rotated.replacedEndsAtMs, clock.nowMs + 10);
  const other = issue();
  operator.rotateKey({ id: other.id, overlapMs: 0, expiresAtMs: undefined });
  assert.equal(outcome(other), "the token has expired");
});

test("access that ends takes every key with it", (t) => {
  const { outcome, issue, operator } = bench(t);
  const keys = [issue(), issue()];
  assert.deepEqual(operator.revokeAccount("acme"), { keysRevoked: 2 });
  assert.deepEqual(keys.map(outcome), ["the token is revoked", "the token is revoked"]);
  assert.equal(outcome(issue()), "the operator has suspended the account acme");
  assert.equal(operator.revokeAccount("nobody"), undefined);
});

test("what cannot be is refused and leaves no trace", (t) => {
  const { operator, file } = bench(t);
  const order = { scopes: ["proofs:read"], label: "", expiresAtMs: undefined } as const;
  assert.deepEqual(operator.issueKey({ ...order, account: "nobody", newAccount: false }), {
    ok: false,
    code: "unknown-account",
  });
  for (const account of ["", "A", "a b", "../x", "-a", "a-", "é", "a".repeat(64)]) {
    const outcome = operator.issueKey({ ...order, account, newAccount: true });
    assert.deepEqual(outcome, { ok: false, code: "bad-account-name" }, account);
  }
  assert.deepEqual([operator.keys(undefined), operator.audit(10), operator.accounts()], [[], [], []]);
  assert.throws(() => openOperator(`${file}-not-there`, { actor: "", now: Date.now }), NoAccountsError);
});

test("every action is in the audit log with its actor, and no secret is", (t) => {
  const { operator, issue, file } = bench(t);
  const first = issue();
  const rotated = operator.rotateKey({ id: first.id, overlapMs: 1, expiresAtMs: undefined });
  assert.ok(rotated.ok);
  operator.revokeKey(rotated.issued.id);
  operator.revokeKey(rotated.issued.id);
  operator.revokeAccount("acme");
  const actions = operator.audit(100).map(({ actor, action, subject }) => [actor, action, subject]);
  assert.deepEqual(actions.reverse(), [
    ["ann", "account-created", "acme"],
    ["ann", "key-issued", first.id],
    ["ann", "key-rotated", first.id],
    ["ann", "key-revoked", rotated.issued.id],
    ["ann", "account-revoked", "acme"],
  ]);
  assert.equal(operator.verifyAudit().ok, true);
  const bytes = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
  for (const { key } of [first, rotated.issued]) assert.equal(bytes.includes(key.slice(-56)), false);
});

test("a key's last use is never before it was made", (t) => {
  const { accounts, operator, issue, clock } = bench(t);
  clock.nowMs = 7_300_000;
  const { id } = issue();
  const shown = () => operator.keys("acme").find((key) => key.id === id);
  for (const [usedAtMs, lastUsedAtMs] of [
    [7_300_000, 7_300_000],
    [7_400_000, 7_300_000],
    [10_900_000, 10_800_000],
  ] as const) {
    accounts.markKeysUsed(new Map([[id, usedAtMs]]));
    assert.deepEqual([shown()?.createdAtMs, shown()?.lastUsedAtMs], [7_300_000, lastUsedAtMs]);
  }
});

test("the last use is kept to the hour, and written together", (t) => {
  const { accounts, operator, issue, clock } = bench(t);
  const key = issue();
  clock.nowMs = 7_300_000;
  const uses = createKeyUses({
    accounts,
    now: () => clock.nowMs,
    intervalMs: 3_600_000,
    onFailure: (error) => assert.fail(String(error)),
  });
  const caller = {
    account: "acme",
    keyId: key.id,
    scopes: new Set(key.scopes),
    limits: { perMinute: 0, burst: 0 },
    agreement: undefined,
    exempt: false,
  };
  const lastUse = () => operator.keys("acme")[0]?.lastUsedAtMs;
  uses.seen(caller);
  assert.equal(lastUse(), undefined);
  uses.flush();
  assert.equal(lastUse(), 7_200_000);
  clock.nowMs = 7_900_000;
  uses.seen(caller);
  uses.flush();
  assert.equal(lastUse(), 7_200_000);
  clock.nowMs = 10_800_001;
  uses.seen(caller);
  uses.close();
  assert.equal(lastUse(), 10_800_000);
});

const TERMS = { agreement: { perDay: 500, plan: "basic", settlementDays: 30 }, limits: { perMinute: 60, burst: 9 } };
const LINEA = { chainId: "EIP155:59144", aliases: ["Linea"], profile: { system: "groth16", encoding: "snarkjs-json" } };

test("terms: agreement, limits and chains by their canonical names; aliases lead to one chain", (t) => {
  const { operator, accounts, issue } = bench(t);
  assert.deepEqual(operator.setTerms({ ...TERMS, account: "acme", chains: [] }), {
    ok: false,
    code: "unknown-account",
  });
  issue();
  const outcome = operator.setTerms({ ...TERMS, account: "acme", chains: [LINEA] });
  assert.ok(outcome.ok);
  const { profile } = LINEA;
  assert.deepEqual(accounts.find("acme"), {
    ...{ name: "acme", wallet: undefined, ...TERMS, suspended: false, createdAtMs: 1_000_000 },
    chains: [{ chainKey: "eip155:59144", aliases: ["linea"], profile }],
  });
  for (const name of ["eip155:59144", "LINEA", "linea"]) {
    assert.deepEqual(accounts.resolveChain("acme", name), { chainKey: "eip155:59144" });
  }
  assert.equal(accounts.resolveChain("acme", "59144"), undefined);
  assert.equal(accounts.resolveChain("other", "linea"), undefined, "another account's aliases are not seen");
});

test("a name that stands for another chain is refused, and nothing of the change remains", (t) => {
  const { operator, accounts, issue } = bench(t);
  issue();
  operator.setTerms({ ...TERMS, account: "acme", chains: [LINEA] });
  const before = [accounts.find("acme"), operator.audit(100)];
  for (const chain of [
    { chainId: "linea", aliases: [], profile: undefined },
    { chainId: "eip155:1", aliases: ["eip155:59144"], profile: undefined },
  ]) {
    const agreement = { perDay: 1, plan: "other", settlementDays: 1 };
    const refused = operator.setTerms({ account: "acme", agreement, limits: undefined, chains: [chain] });
    assert.equal(!refused.ok && refused.code, "chain-name-taken");
    assert.deepEqual([accounts.find("acme"), operator.audit(100)], before);
  }
});

test("new terms lift a suspension and add to the chains; ended keys stay ended", (t) => {
  const { operator, accounts, issue, outcome } = bench(t);
  const key = issue();
  operator.revokeAccount("acme");
  operator.setTerms({ ...TERMS, account: "acme", chains: [LINEA] });
  operator.setTerms({ ...TERMS, account: "acme", chains: [{ ...LINEA, aliases: ["l2"], profile: undefined }] });
  assert.equal(outcome(key), "the token is revoked");
  assert.equal(outcome(issue()), "ok");
  const [chain] = accounts.find("acme")?.chains ?? [];
  assert.deepEqual([chain?.aliases, chain?.profile], [["l2", "linea"], LINEA.profile], "a profile is kept");
});

test("terms that are not named stay as they are; the service's rate is given back by name", (t) => {
  const { operator, accounts, issue } = bench(t);
  issue();
  operator.setTerms({ ...TERMS, account: "acme", chains: [] });
  operator.revokeAccount("acme");
  operator.setTerms({ account: "acme", agreement: undefined, limits: undefined, chains: [LINEA] });
  const { agreement, limits, suspended } = accounts.find("acme") ?? assert.fail();
  assert.deepEqual({ agreement, limits, suspended }, { ...TERMS, suspended: false });
  operator.setTerms({ account: "acme", agreement: undefined, limits: "service", chains: [] });
  const after = accounts.find("acme");
  assert.deepEqual([after?.agreement, after?.limits], [TERMS.agreement, undefined]);
});
