import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { accessStates } from "@cairn/api";
import fc from "fast-check";
import { temporaryHome } from "../testing/fixture.ts";
import { accessStateAt, accessStep } from "./access-request-life.ts";
import { openAccounts } from "./accounts.ts";
import { createClaimNames } from "./claim-names.ts";
import { type Approval, openOperator } from "./operator.ts";

const nameClaim = createClaimNames(new Uint8Array(32));
const BODY = { organisation: "Acme", contact: "ops@acme.example", chain_ids: ["eip155:59144"] };
const DAY_MS = 86_400_000;

function bench(t: TestContext) {
  const file = join(temporaryHome(t), "accounts.db");
  const clock = { nowMs: 1_000_000 };
  const accounts = openAccounts(file, "production");
  const operator = openOperator(file, { actor: "ann", now: () => clock.nowMs });
  t.after(() => {
    accounts.close();
    operator.close();
  });
  const ask = () => {
    const noted = accounts.noteRequest(BODY, nameClaim(undefined), clock.nowMs);
    assert.ok(noted.ok);
    return { id: noted.request.id, secret: noted.claimSecret };
  };
  const approval = (id: string, o: Partial<Approval> = {}): Approval => ({
    ...{ id, account: "acme", existingAccount: false, scopes: ["proofs:write"], keyLifetimeMs: DAY_MS },
    ...{ agreement: undefined, limits: undefined, chains: [], ...o },
  });
  const read = (claim: { id: string; secret: string }, take = true) =>
    accounts.readRequest({ ...claim, take }, clock.nowMs);
  return { file, clock, accounts, operator, ask, approval, read };
}

test("a request is noted, approved, claimed once; the key is stored nowhere", (t) => {
  const { file, accounts, operator, ask, approval, read, clock } = bench(t);
  const claim = ask();
  assert.equal(read(claim)?.request.state, "pending");
  assert.equal(read(claim)?.issued, undefined);
  assert.equal(operator.approve(approval(claim.id)).ok, true);
  assert.equal(read(claim, false)?.issued, undefined, "a look that cannot show the key takes none");
  const claimed = read(claim);
  assert.equal(claimed?.request.state, "claimed");
  const issued = claimed?.issued;
  assert.ok(issued);
  assert.equal(issued.expiresAtMs, clock.nowMs + DAY_MS);
  assert.deepEqual(accounts.findKey(issued.id)?.scopes, ["proofs:write"]);
  assert.equal(read(claim)?.issued, undefined);
  assert.equal(read(claim)?.request.keyId, issued.id);
  const bytes = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
  for (const secret of [issued.key, claim.secret]) assert.equal(bytes.includes(secret.slice(-40)), false);
  const actions = operator.audit(10).map(({ actor, action }) => `${actor} ${action}`);
  const made = ["ann account-created", "ann request-approved", "ann agreement-set", "service key-claimed"];
  assert.deepEqual(actions.reverse(), made);
});

test("another secret or id sees nothing", (t) => {
  const { ask, read } = bench(t);
  const [mine, theirs] = [ask(), ask()];
  for (const claim of [
    { ...mine, secret: theirs.secret },
    { ...mine, secret: "" },
    { ...mine, secret: `cairn_claim_${"0".repeat(48)}` },
    { ...mine, id: `${mine.id}0` },
    { ...mine, id: "" },
  ]) {
    assert.equal(read(claim), undefined);
  }
});

test("what nobody decides or claims in two weeks expires; an approval gives two weeks more", (t) => {
  const { ask, approval, operator, read, clock } = bench(t);
  const [late, claimed] = [ask(), ask()];
  clock.nowMs += 13 * DAY_MS;
  operator.approve(approval(claimed.id));
  clock.nowMs += DAY_MS;
  assert.equal(read(late)?.request.state, "expired");
  assert.deepEqual(operator.approve(approval(late.id, { account: "late" })), {
    ok: false,
    code: "not-open",
    state: "expired",
  });
  clock.nowMs += 12 * DAY_MS;
  assert.equal(read(claimed, false)?.request.state, "approved");
  clock.nowMs += DAY_MS;
  assert.equal(read(claimed)?.request.state, "expired");
  assert.equal(read(claimed)?.issued, undefined);
  assert.deepEqual(operator.requests(false), []);
});

test("a refused approval leaves nothing; a rejected request gives no key", (t) => {
  const { ask, approval, operator, read } = bench(t);
  const [first, second] = [ask(), ask()];
  operator.approve(approval(first.id));
  const refusals = [
    [approval("req_none"), "unknown-request"],
    [approval(second.id), "account-exists"],
    [approval(second.id, { account: "other", existingAccount: true }), "unknown-account"],
    [approval(second.id, { account: "Not A Name" }), "bad-account-name"],
    [approval(first.id, { account: "again" }), "not-open"],
  ] as const;
  const before = [operator.accounts(), operator.audit(100)];
  for (const [asked, code] of refusals) {
    const outcome = operator.approve(asked);
    assert.equal(!outcome.ok && outcome.code, code);
    assert.deepEqual([operator.accounts(), operator.audit(100)], before, code);
  }
  assert.equal(operator.reject(second.id).ok, true);
  assert.deepEqual(operator.reject(second.id), { ok: false, code: "not-open", state: "rejected" });
  assert.equal(read(second)?.request.state, "rejected");
  assert.equal(operator.reject(first.id).ok, true, "an approval can be taken back until it is claimed");
  assert.equal(read(first)?.issued, undefined);
});

test("ending an account's access takes back what it has not claimed", (t) => {
  const { ask, approval, operator, read } = bench(t);
  const claim = ask();
  operator.approve(approval(claim.id));
  operator.revokeAccount("acme");
  assert.equal(read(claim)?.issued, undefined);
  assert.equal(read(claim)?.request.state, "rejected");
});

test("the number of open requests is bounded; decided ones make room", (t) => {
  const { accounts, operator, clock } = bench(t);
  const note = () => accounts.noteRequest(BODY, nameClaim(undefined), clock.nowMs);
  for (let n = 0; n < 1_000; n += 1) assert.equal(note().ok, true);
  assert.deepEqual(note(), { ok: false, code: "too-many-requests" });
  operator.reject(operator.requests(false)[0]?.id ?? "");
  assert.equal(note().ok, true);
  assert.equal(note().ok, false);
  clock.nowMs += 15 * DAY_MS;
  assert.equal(note().ok, true, "expired ones make room");
  clock.nowMs += 100 * DAY_MS;
  note();
  assert.equal(operator.requests(true).length, 2, "old ones are forgotten");
});

test("no sequence of events claims twice or claims what was not approved", () => {
  const anyEvents = fc.array(fc.constantFrom("approve", "reject", "claim" as const), { maxLength: 12 });
  fc.assert(
    fc.property(anyEvents, (events) => {
      let state: (typeof accessStates)[number] = "pending";
      const happened: string[] = [];
      for (const event of events) {
        const next = accessStep(state, event as "approve" | "reject" | "claim");
        if (next === undefined) continue;
        happened.push(event);
        state = next;
      }
      assert.ok(happened.filter((event) => event === "claim").length <= 1);
      if (happened.includes("claim")) assert.deepEqual(happened, ["approve", "claim"]);
    }),
  );
  for (const state of accessStates) {
    const expected = state === "pending" || state === "approved" ? "expired" : state;
    assert.equal(accessStateAt({ state, expiresAtMs: 5 }, 5), expected);
    assert.equal(accessStateAt({ state, expiresAtMs: 5 }, 4), state);
  }
});
