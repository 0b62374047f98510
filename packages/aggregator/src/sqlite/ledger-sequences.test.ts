/**
 * Random sequences of deposits, permissions, withdrawals, submissions, verdicts, settlements and covers by several
 * payers, with logs read again, settlements applied again and the store closed and opened in between. The vault is the
 * oracle: what it holds and what it is owed is what the books say, for each payer alone.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Address } from "@cairn/primitives";
import type { ReceiptSettlement } from "@cairn/proofs";
import fc from "fast-check";
import type { BatchSettlement } from "../batch-store.ts";
import type { Store } from "../store.ts";
import { hashOf, sampleSubmission, sampleVerdict } from "../testing/samples.ts";
import { createSimulatedVault, type SimulatedVault } from "../testing/simulated-vault.ts";
import { verdictRecord } from "../verifier.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const PAYERS: readonly Address[] = ["0x01", "0x02", "0x03"].map((byte): Address => `0x${byte.slice(2).repeat(20)}`);
const DAY = 20_000;
const NOW = DAY * 86_400_000 + 5_000;

const payer = fc.constantFrom(...PAYERS);
const amount = fc.bigInt({ min: 1n, max: 200n });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deposit" as const), payer, amount }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("allow" as const), payer, amount, perDay: fc.bigInt(0n, 900n) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("request" as const), payer, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const), payer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("elsewhere" as const), payer, amount: fc.bigInt(1n, 40n) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cover" as const), payer, amount }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("submit" as const), payer, text: fc.nat(40), amount: fc.bigInt(0n, 60n) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("verify" as const), outcome: fc.infiniteStream(fc.nat(5)) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("settle" as const), excluded: fc.uniqueArray(fc.nat(4), { maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const SALT = new Uint8Array(32);
const RECEIPT_PART = { chain_id: 5 } as unknown as ReceiptSettlement;

function settlement(excluded: readonly number[]): BatchSettlement {
  const hashes = { root: hashOf("r"), commitment: hashOf("c"), previous: hashOf("p"), transactionHash: hashOf("t") };
  return { ...hashes, header: "0x01", verified: 1, commitments: 0, excluded, block: 5 };
}

/** One ledger under test beside its vault. */
class Run {
  store: Store;
  readonly vault: SimulatedVault = createSimulatedVault(DAY);
  readonly #file: string;
  constructor(file: string) {
    this.#file = file;
    this.store = openSqliteStore(file);
  }

  async do(s: Step): Promise<void> {
    const { vault } = this;
    if (s.do === "deposit") vault.deposit(s.payer, s.amount);
    else if (s.do === "allow") vault.allow(s.payer, s.amount, s.perDay);
    else if (s.do === "request") vault.request(s.payer, s.amount);
    else if (s.do === "withdraw") vault.withdraw(s.payer);
    else if (s.do === "elsewhere") vault.elsewhere(s.payer, s.amount);
    else if (s.do === "cover") vault.cover(s.payer, s.amount);
    else if (s.do === "submit") await this.#submit(s);
    else if (s.do === "verify") await this.#verify(s.outcome);
    else if (s.do === "settle") await this.#settle(s.excluded);
    else await this.#reopen();
    await this.store.followVault({ to: vault.head(), logs: vault.logs }, NOW);
    await this.#check();
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  async #reopen(): Promise<void> {
    await this.store.close();
    this.store = openSqliteStore(this.#file);
  }

  async #submit(s: Extract<Step, { do: "submit" }>): Promise<void> {
    const { reserved, overdue } = await this.store.books(s.payer);
    const { balance, requested, maxPerProof, maxPerDay, spent } = this.vault.held(s.payer);
    const terms = { payer: s.payer, mode: "vault" as const, plan: "p", priceWei: s.amount, quotedFor: undefined };
    const [result] = await this.store.insert([sampleSubmission(`${s.payer} ${s.text}`, { payment: terms })], NOW);
    if (result?.outcome === "duplicate") return;
    const free = balance - reserved - overdue - requested;
    const limits = [free, maxPerDay - spent - reserved, maxPerProof];
    const isCovered = limits.every((limit) => s.amount <= limit) || s.amount === 0n;
    const expected = overdue > 0n ? "payment-overdue" : isCovered ? undefined : "insufficient-balance";
    const got = result !== undefined && "submission" in result ? undefined : result?.outcome;
    assert.equal(got, expected);
  }

  /** 0 and 1: refused for now or for good; 2: the same statement as others; the rest are new ones, 3 cheaper. */
  async #verify(outcomes: Iterable<number>): Promise<void> {
    const items = await this.store.received(20, 1_000_000);
    const stream = outcomes[Symbol.iterator]();
    const records = items.map((item) => {
      const kind: number = stream.next().value ?? 4;
      if (kind < 2)
        return { ok: false as const, seq: item.seq, code: kind === 0 ? "unknown-vk" : "malformed", detail: "" };
      const statement = kind === 2 ? "same" : item.proofData;
      const record = verdictRecord(item, sampleVerdict(item.proofData, statement), SALT);
      return record.ok && kind === 3 ? { ...record, priceWei: (item.payment?.priceWei ?? 0n) / 2n } : record;
    });
    await this.store.recordVerdicts(records, NOW);
    await this.store.recordVerdicts(records, NOW);
  }

  async #settle(chosen: readonly number[]): Promise<void> {
    const pending = (await this.store.pending(5)).map((slot) => slot.seq);
    if (pending.length === 0) return;
    const number = await this.store.closeBatch({ slots: pending, bytes: 1 }, NOW);
    const excluded = chosen.filter((index) => index < pending.length);
    const prices = new Map<Address, bigint[]>();
    for (const { index, payment } of await this.store.slots(number)) {
      if (payment === undefined || excluded.includes(index)) continue;
      prices.set(payment.payer, [...(prices.get(payment.payer) ?? []), payment.priceWei]);
    }
    const charges = this.vault.charge(number, prices);
    const apply = () =>
      this.store.settle(number, settlement(excluded), RECEIPT_PART, NOW, { charges, mockShort: false });
    assert.deepEqual([await apply(), await apply()], [{ applied: true }, { applied: false }]);
  }

  async #check(): Promise<void> {
    const { books, journal } = await this.store.auditLedger();
    assert.deepEqual(books, journal, "sums are those of the journal");
    for (const address of PAYERS) {
      const { deposits, reserved, captured, overdue } = await this.store.books(address);
      const held = this.vault.held(address);
      assert.equal(deposits + reserved + overdue, held.balance, "what the vault holds");
      assert.equal(overdue, held.owed, "what the vault was short of");
      assert.ok(reserved >= 0n && captured >= 0n && overdue >= 0n);
      const entries = await this.store.ledgerEntries({ payer: address, limit: 10_000 });
      const captures = entries.filter(({ kind }) => kind === "capture" || kind === "shortfall");
      const charged = captures.map(({ submission }) => submission);
      assert.equal(new Set(charged).size, charged.length, "each submission is charged at most once");
    }
  }
}

test("the books follow the vault through every sequence", { timeout: 300_000 }, async () => {
  const numRuns = Number(process.env.CAIRN_LEDGER_RUNS ?? 25);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 70, size: "max" }), async (steps) => {
      const dir = mkdtempSync(join(tmpdir(), "cairn-ledger-"));
      const run = new Run(join(dir, "store.db"));
      try {
        for (const one of steps) await run.do(one);
      } finally {
        await run.close();
        rmSync(dir, { recursive: true, force: true });
      }
    }),
    { numRuns, endOnFailure: true },
  );
});
