/** Payments of submissions step by step: reserved, released, captured, overdue, covered; refused when short. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Address } from "@cairn/primitives";
import type { ReceiptSettlement } from "@cairn/proofs";
import type { BatchSettlement } from "../batch-store.ts";
import { availableWei } from "../payment/ledger.ts";
import type { PaymentTerms } from "../payment/ledger-store.ts";
import type { Store } from "../store.ts";
import { hashOf, sampleSubmission, sampleVerdict, stored } from "../testing/samples.ts";
import { createSimulatedVault, type SimulatedVault } from "../testing/simulated-vault.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { verdictRecord } from "../verifier.ts";
import { openDatabase } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const PAYER: Address = `0x${"aa".repeat(20)}`;
const OTHER: Address = `0x${"bb".repeat(20)}`;
const DAY = 20_000;
const NOW = DAY * 86_400_000 + 5_000;

interface Bench {
  readonly store: Store;
  readonly vault: SimulatedVault;
  readonly file: string;
  follow(): Promise<number>;
  submit(text: string, o?: Partial<PaymentTerms>): Promise<{ outcome: string; seq: number }>;
  verify(o?: { statement?: string; priceWei?: bigint }): Promise<void>;
  /** Closes a batch over these and settles it. */
  settle(seqs: readonly number[], o?: { excluded?: readonly number[] }): Promise<number>;
}

function bench(t: TestContext): Bench {
  const file = join(temporaryDirectory(t), "store.db");
  const store = openSqliteStore(file);
  t.after(() => store.close());
  const vault = createSimulatedVault(DAY);
  const settled = async (number: number, excluded: readonly number[]): Promise<void> => {
    const prices = new Map<Address, bigint[]>();
    for (const { index, payment } of await store.slots(number)) {
      if (payment === undefined || excluded.includes(index)) continue;
      prices.set(payment.payer, [...(prices.get(payment.payer) ?? []), payment.priceWei]);
    }
    const payments = { charges: vault.charge(number, prices), mockShort: false };
    const { applied } = await store.settle(number, settlement(excluded), RECEIPT_PART, NOW, payments);
    assert.ok(applied);
    const again = await store.settle(number, settlement(excluded), RECEIPT_PART, NOW, payments);
    assert.ok(!again.applied, "settling again changes nothing");
  };
  return {
    store,
    vault,
    file,
    follow: () => store.followVault({ to: vault.head(), logs: vault.logs }, NOW),
    submit: async (text, o = {}) => {
      const terms = { payer: PAYER, mode: "vault", plan: "p", priceWei: 10n, quotedFor: undefined, ...o } as const;
      const [outcome] = await store.insert([sampleSubmission(text, { payment: terms })], NOW);
      return {
        outcome: outcome?.outcome ?? "",
        seq: outcome && "submission" in outcome ? stored(outcome).submission.seq : 0,
      };
    },
    verify: async (o = {}) => {
      const items = await store.received(100, 1_000_000);
      const records = items.map((item) => {
        const record = verdictRecord(item, sampleVerdict(item.proofData, o.statement ?? item.proofData), SALT);
        return record.ok && o.priceWei !== undefined ? { ...record, priceWei: o.priceWei } : record;
      });
      await store.recordVerdicts(records, NOW);
    },
    settle: async (seqs, { excluded = [] } = {}) => {
      const number = await store.closeBatch({ slots: seqs, bytes: 1 }, NOW);
      await settled(number, excluded);
      return number;
    },
  };
}

const SALT = new Uint8Array(32);
const RECEIPT_PART = { chain_id: 5 } as unknown as ReceiptSettlement;

function settlement(excluded: readonly number[]): BatchSettlement {
  const hashes = { root: hashOf("r"), commitment: hashOf("c"), previous: hashOf("p"), transactionHash: hashOf("t") };
  return { ...hashes, header: "0x01", verified: 1, commitments: 0, excluded, block: 5 };
}

async function booksOf(store: Store, payer = PAYER) {
  const { deposits, reserved, captured, overdue } = await store.books(payer);
  return { deposits, reserved, captured, overdue };
}

async function funded(t: TestContext): Promise<Bench> {
  const b = bench(t);
  b.vault.deposit(PAYER, 100n);
  b.vault.allow(PAYER, 50n, 80n);
  await b.follow();
  return b;
}

test("what is accepted is reserved, what is settled is captured, once", async (t) => {
  const { store, submit, verify, settle } = await funded(t);
  const { outcome, seq } = await submit("a");
  assert.equal(outcome, "inserted");
  assert.deepEqual(await booksOf(store), { deposits: 90n, reserved: 10n, captured: 0n, overdue: 0n });
  assert.equal((await submit("a")).outcome, "duplicate");
  assert.equal((await store.books(PAYER)).reserved, 10n, "a repeat is not reserved again");
  await verify();
  const number = await settle([seq]);
  assert.deepEqual(await booksOf(store), { deposits: 90n, reserved: 0n, captured: 10n, overdue: 0n });
  assert.equal((await store.payment(seq))?.state, "captured");
  const entries = await store.ledgerEntries({ payer: PAYER, limit: 10 });
  assert.deepEqual(
    entries.map(({ kind, from, to, amountWei }) => [kind, from, to, amountWei]),
    [
      ["capture", "reserved", "captured", 10n],
      ["reserve", "deposits", "reserved", 10n],
      ["deposit", "vault", "deposits", 100n],
    ],
  );
  assert.equal(entries[0]?.batch, number);
  assert.equal(entries[0]?.submission, sampleSubmission("a").id);
  assert.equal((await store.ledgerEntries({ payer: PAYER, limit: 10, before: entries[1]?.seq ?? 0 })).length, 1);
});

test("nothing is accepted beyond balance, requests and limits, and nothing of it is stored", async (t) => {
  const { store, vault, follow, submit } = await funded(t);
  const refused = async (text: string, priceWei: bigint) => (await submit(text, { priceWei })).outcome;
  assert.equal(await refused("a", 51n), "insufficient-balance", "above the limit of a proof");
  assert.equal(await refused("b", 50n), "inserted");
  assert.equal(await refused("c", 31n), "insufficient-balance", "above what is left of the day");
  vault.request(PAYER, 40n);
  await follow();
  const [outcome] = await store.insert(
    [
      sampleSubmission("d", {
        payment: { payer: PAYER, mode: "vault", plan: "p", priceWei: 11n, quotedFor: undefined },
      }),
    ],
    NOW,
  );
  assert.deepEqual(outcome, { outcome: "insufficient-balance", requiredWei: 11n, availableWei: 10n });
  assert.equal(await store.find(sampleSubmission("d").id), undefined);
  assert.equal(await refused("e", 10n), "inserted");
  assert.equal((await submit("f", { payer: OTHER, priceWei: 1n })).outcome, "insufficient-balance");
  assert.equal(
    (await submit("g", { payer: OTHER, priceWei: 0n })).outcome,
    "inserted",
    "what is free needs no balance",
  );
});

test("a new day is a new limit", async (t) => {
  const { store } = await funded(t);
  const books = { ...(await store.books(PAYER)), spent: 75n, spentDay: DAY };
  assert.equal(availableWei(books, "vault", NOW), 5n);
  assert.equal(availableWei(books, "vault", NOW + 86_400_000), 50n);
  assert.equal(availableWei(books, "mock", NOW), 100n, "mock money has no limits");
});

test("rejected, duplicate and excluded proofs are not charged", async (t) => {
  const { store, submit, verify, settle } = await funded(t);
  const bad = await submit("bad");
  await store.recordVerdicts([{ ok: false, seq: bad.seq, code: "unknown-vk", detail: "" }], NOW);
  assert.deepEqual(await booksOf(store), { deposits: 100n, reserved: 0n, captured: 0n, overdue: 0n });
  assert.equal((await submit("bad", { priceWei: 7n })).outcome, "requeued");
  assert.equal((await store.books(PAYER)).reserved, 7n, "a new try has its own price");
  await store.recordVerdicts([{ ok: false, seq: bad.seq, code: "invalid-proof", detail: "" }], NOW);

  const first = await submit("first");
  const second = await submit("second");
  await verify({ statement: "same" });
  assert.equal((await store.payment(second.seq))?.state, "released", "the same statement again");
  assert.equal((await store.books(PAYER)).reserved, 10n);
  await settle([first.seq], { excluded: [0] });
  assert.equal((await store.payment(first.seq))?.state, "released");
  assert.equal((await store.payment(second.seq))?.state, "reserved", "it takes its original's place");
  await settle([second.seq]);
  assert.deepEqual(await booksOf(store), { deposits: 90n, reserved: 0n, captured: 10n, overdue: 0n });
});

test("what is cheaper than reserved is given back; it never gets dearer", async (t) => {
  const { store, submit, verify } = await funded(t);
  const cheap = await submit("cheap", { priceWei: 30n });
  await verify({ priceWei: 4n });
  assert.deepEqual(await booksOf(store), { deposits: 96n, reserved: 4n, captured: 0n, overdue: 0n });
  assert.equal((await store.payment(cheap.seq))?.priceWei, 4n);
  const fixed = await submit("fixed", { priceWei: 30n });
  await verify({ priceWei: 31n });
  assert.equal((await store.payment(fixed.seq))?.priceWei, 30n);
});

test("a payer that the vault skipped is overdue until it covers", async (t) => {
  const { store, vault, follow, submit, verify, settle } = await funded(t);
  const { seq } = await submit("a");
  vault.request(PAYER, 100n);
  vault.withdraw(PAYER);
  await follow();
  await verify();
  await settle([seq]);
  assert.deepEqual(await booksOf(store), { deposits: -10n, reserved: 0n, captured: 0n, overdue: 10n });
  assert.equal((await store.payment(seq))?.state, "overdue");
  vault.deposit(PAYER, 60n);
  await follow();
  assert.equal((await submit("b", { priceWei: 1n })).outcome, "payment-overdue");
  vault.cover(PAYER, 4n);
  await follow();
  assert.equal((await submit("b", { priceWei: 1n })).outcome, "payment-overdue");
  vault.cover(PAYER, 6n);
  await follow();
  assert.deepEqual(await booksOf(store), { deposits: 50n, reserved: 0n, captured: 10n, overdue: 0n });
  assert.equal((await store.payment(seq))?.state, "captured");
  assert.equal((await submit("b", { priceWei: 1n })).outcome, "inserted");
});

test("the vault's logs count once, however often they are read", async (t) => {
  const { store, vault, follow } = await funded(t);
  await follow();
  await store.followVault({ to: 1, logs: vault.logs }, NOW);
  assert.equal((await store.books(PAYER)).deposits, 100n);
  assert.equal(await store.setting("vault-cursor"), "2");
});

test("covering what is not settled here yet waits for the settlement", async (t) => {
  const { store, vault, follow, submit, verify } = await funded(t);
  const { seq } = await submit("a");
  await verify();
  const number = await store.closeBatch({ slots: [seq], bytes: 1 }, NOW);
  vault.request(PAYER, 100n);
  vault.withdraw(PAYER);
  const charges = vault.charge(number, new Map([[PAYER, [10n]]]));
  vault.deposit(PAYER, 10n);
  vault.cover(PAYER, 10n);
  assert.equal(await follow(), vault.head() - 1);
  assert.equal(await follow(), vault.head() - 1);
  await store.settle(number, settlement([]), RECEIPT_PART, NOW, { charges, mockShort: false });
  assert.equal((await store.books(PAYER)).overdue, 10n);
  assert.equal(await follow(), vault.head());
  assert.deepEqual(await booksOf(store), { deposits: 0n, reserved: 0n, captured: 10n, overdue: 0n });
});

test("a vault that charged another amount settles nothing here", async (t) => {
  const { store, submit, verify } = await funded(t);
  const { seq } = await submit("a");
  await verify();
  const number = await store.closeBatch({ slots: [seq], bytes: 1 }, NOW);
  for (const amountWei of [9n, 0n]) {
    const charges = amountWei === 0n ? [] : [{ payer: PAYER, amountWei, charged: { day: DAY, spentWei: 9n } }];
    await assert.rejects(store.settle(number, settlement([]), RECEIPT_PART, NOW, { charges, mockShort: false }), {
      name: "ChargeMismatchError",
    });
  }
  assert.equal((await store.batch(number))?.state, "batched");
  assert.equal((await store.books(PAYER)).reserved, 10n);
});

test("what an earlier store settled is charged to the payer's deposits", async (t) => {
  const { store, vault, follow } = await funded(t);
  await store.set("batch-base", "3");
  vault.charge(3, new Map([[PAYER, [20n]]]));
  vault.charge(3, new Map([[PAYER, [51n]]]));
  vault.elsewhere(PAYER, 5n);
  await follow();
  assert.deepEqual(await booksOf(store), { deposits: 24n, reserved: 0n, captured: 20n, overdue: 51n });
  assert.equal((await store.books(PAYER)).spent, 20n);
});

test("mock money: deposits once per source, short payments are covered by the next deposit", async (t) => {
  const { store, submit, verify } = bench(t);
  const deposit = (amountWei: bigint, source?: string) =>
    store.mockDeposit({ payer: PAYER, amountWei, ...(source === undefined ? {} : { source }) }, NOW);
  await deposit(100n, "first");
  await deposit(100n, "first");
  const { seq } = await submit("a", { mode: "mock", priceWei: 60n });
  assert.equal((await submit("b", { mode: "mock", priceWei: 41n })).outcome, "insufficient-balance");
  await verify();
  const number = await store.closeBatch({ slots: [seq], bytes: 1 }, NOW);
  assert.equal((await store.slots(number))[0]?.payment, undefined, "nobody is charged on the chain");
  await store.settle(number, settlement([]), RECEIPT_PART, NOW, { charges: [], mockShort: true });
  assert.deepEqual(await booksOf(store), { deposits: 40n, reserved: 0n, captured: 0n, overdue: 60n });
  assert.equal((await submit("b", { mode: "mock", priceWei: 1n })).outcome, "payment-overdue");
  await deposit(60n);
  assert.deepEqual(await booksOf(store), { deposits: 100n, reserved: 0n, captured: 60n, overdue: 0n });
  const { books, journal } = await store.auditLedger();
  assert.deepEqual(books, journal);
});

test("the journal is append-only", async (t) => {
  const { file, store } = await funded(t);
  assert.equal((await store.ledgerEntries({ payer: PAYER, limit: 1 })).length, 1);
  const database = openDatabase(file, MIGRATIONS);
  t.after(() => database.close());
  assert.throws(() => database.run("UPDATE ledger_entries SET amount = '1'"), /append-only/);
  assert.throws(() => database.run("DELETE FROM ledger_entries"), /append-only/);
});
