/** Statement de-duplication (docs/formats.md, Identifiers), against a model of its rule. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ReceiptSettlement } from "@cairn/proofs";
import fc from "fast-check";
import type { Verdict } from "../ports.ts";
import type { Store } from "../store.ts";
import { hashOf, sampleSubmission, sampleVerdict } from "../testing/samples.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { verdictRecord } from "../verifier.ts";
import { openDatabase } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSqliteStore, storeOn } from "./sqlite-store.ts";

const SALT = new Uint8Array(32).fill(9);
const hashes = { root: hashOf("r"), commitment: hashOf("c"), previous: hashOf("p"), transactionHash: hashOf("t") };
const settlement = { ...hashes, header: "0x01" as const, verified: 1, commitments: 0, block: 5 };

function openStore(t: TestContext): Store {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  return store;
}

/** What makes a statement, and what does not. */
interface Case {
  readonly account: string;
  readonly chain: string;
  readonly block: string | undefined;
  readonly key: string;
  readonly inputs: string;
  readonly isFalse: boolean;
  readonly isCommitment: boolean;
}

async function judged(store: Store, name: string, item: Case): Promise<void> {
  const submission = sampleSubmission(name, { account: item.account, chainId: item.chain, blockNumber: item.block });
  await store.insert([submission], 1_000);
  const [received] = await store.received(1, 1_000_000);
  assert.ok(received);
  await store.recordVerdicts([verdictRecord(received, verdictOf(name, item), SALT)], 2_000);
}

function verdictOf(name: string, item: Case): Verdict {
  if (item.isFalse) return { ok: false, code: "invalid-proof", detail: "" };
  const verdict = sampleVerdict(name, item.inputs);
  assert.ok(verdict.ok);
  return { ...verdict, kind: item.isCommitment ? "commitment" : "proof", vkHash: hashOf(item.key) };
}

const few = (...values: string[]) => fc.constantFrom(...values);
const cases = fc.array(
  fc.record<Case>({
    account: few("a", "b"),
    chain: few("One", "one", "two"),
    block: fc.constantFrom(undefined, "7", "8"),
    key: few("k", "l"),
    inputs: few("i", "j"),
    isFalse: fc.boolean(),
    isCommitment: fc.boolean(),
  }),
  { minLength: 2, maxLength: 12 },
);

test("a later true proof of the same account, chain, block, key and inputs is a duplicate of the first, nothing else is", async (t) => {
  let round = 0;
  const store = openStore(t);
  await fc.assert(
    fc.asyncProperty(cases, async (items) => {
      round += 1;
      const firsts = new Map<string, string>();
      for (const [index, item] of items.entries()) {
        const mine = { ...item, account: `${item.account}${round}` };
        const name = `${round} ${index}`;
        await judged(store, name, mine);
        const identity = JSON.stringify([mine.account, mine.chain.toLowerCase(), mine.block, mine.key, mine.inputs]);
        const counts = !item.isFalse && !item.isCommitment;
        const expected = counts ? firsts.get(identity) : undefined;
        if (counts && expected === undefined) firsts.set(identity, sampleSubmission(name).id);
        const found = await store.find(sampleSubmission(name).id);
        assert.equal(found?.duplicateOf?.id, expected);
        assert.equal(found?.state, item.isFalse ? "rejected" : "verified");
      }
    }),
    { numRuns: 40 },
  );
});

const SAME: Case = {
  ...{ account: "a", chain: "one", block: "7", key: "k", inputs: "i" },
  ...{ isFalse: false, isCommitment: false },
};
const seqOf = async (store: Store, name: string) => (await store.find(sampleSubmission(name).id))?.seq ?? 0;

test("after an exclusion the first duplicate is queued again and becomes the original of those that follow", async (t) => {
  const store = openStore(t);
  for (const name of ["first", "second"]) await judged(store, name, SAME);
  await store.closeBatch({ slots: [await seqOf(store, "first")], bytes: 1 }, 3_000);
  await store.settle(1, { ...settlement, excluded: [0] }, {} as ReceiptSettlement, 4_000);
  await judged(store, "third", SAME);
  assert.equal((await store.find(sampleSubmission("third").id))?.duplicateOf?.id, sampleSubmission("second").id);
  const slots = (await store.pending(9)).map((slot) => slot.seq);
  assert.deepEqual(slots, [await seqOf(store, "second")], "once, not twice");
  await store.closeBatch({ slots, bytes: 1 }, 5_000);
  await store.settle(2, { ...settlement, commitment: hashOf("d"), excluded: [] }, {} as ReceiptSettlement, 6_000);
  for (const name of ["second", "third"]) {
    const found = await store.find(sampleSubmission(name).id);
    assert.deepEqual([found?.state, found?.batch], ["settled", { number: 2, index: 0 }]);
  }
  const states = (await store.history(await seqOf(store, "second"))).map((entry) => entry.state);
  assert.deepEqual(states, ["received", "verified", "batched", "verified", "batched", "settled"]);
});

test("listings are read from their indexes, newest first, without sorting", async (t) => {
  const database = openDatabase(join(temporaryDirectory(t), "store.db"), MIGRATIONS);
  const statements: string[] = [];
  const spy = {
    ...database,
    all: (sql: string, ...values: never[]) => {
      statements.push(sql);
      return database.all(sql, ...values);
    },
  };
  t.after(() => database.close());
  const store = storeOn(spy);
  const account = { account: "a", limit: 9, before: 5 };
  const hash = hashOf("x");
  for (const [filter, index] of [
    [{}, "submissions_account "],
    [{ sinceMs: 1 }, "submissions_account "],
    [{ state: "final" as const }, "submissions_account_state "],
    [{ chainKey: "c" }, "submissions_account_chain "],
    [{ externalId: "e" }, "submissions_external "],
    [{ proofHash: hash }, "submissions_proof_hash "],
    [{ statement: hash }, "submissions_statement "],
  ] as const) {
    await store.list({ ...account, ...filter });
    const sql = statements.at(-1) ?? "";
    const values = sql
      .split("?")
      .slice(1)
      .map(() => 1);
    const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((row) => String(row.detail));
    assert.ok(plan[0]?.includes(`USING INDEX ${index}`), `${JSON.stringify(filter)}: ${plan[0]}`);
    assert.ok(!plan.some((line) => line.includes("TEMP B-TREE")), plan.join("; "));
  }
});
