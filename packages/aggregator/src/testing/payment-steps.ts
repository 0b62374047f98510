/**
 * Paid submissions through their whole life, step by step, over any store: what a killed process does and the next one
 * continues.
 */
import type { Address } from "@cairn/primitives";
import type { ReceiptSettlement } from "@cairn/proofs";
import type { Store } from "../store.ts";
import { verdictRecord } from "../verifier.ts";
import { hashOf, sampleSubmission, sampleVerdict } from "./samples.ts";

/** Who pays. */
export const PAYER: Address = `0x${"aa".repeat(20)}`;
/** What is deposited at the start. */
export const DEPOSIT_WEI = 10n ** 24n;
/** Of each submission. */
export const PRICE_WEI = 7n;

const DAY = 20_000;
const NOW = DAY * 86_400_000;
const RECEIPT_PART = { chain_id: 5 } as unknown as ReceiptSettlement;
const TRANSACTION = hashOf("deposit");

/** Stores these, verifies and settles all there is; rows of what is settled now. */
export async function advancePayments(store: Store, texts: readonly string[]): Promise<readonly number[]> {
  const deposited = { name: "deposited" as const, payer: PAYER, amountWei: DEPOSIT_WEI };
  const allowed = { name: "allowed" as const, payer: PAYER, maxPerProofWei: DEPOSIT_WEI, maxPerDayWei: DEPOSIT_WEI };
  const place = { block: 1, transactionHash: TRANSACTION };
  const logs = [deposited, allowed].map((event, logIndex) => ({ ...place, logIndex, event }));
  await store.followVault({ to: 1, logs }, NOW);
  const payment = { payer: PAYER, mode: "vault" as const, plan: "p", priceWei: PRICE_WEI, quotedFor: undefined };
  await store.insert(
    texts.map((text) => sampleSubmission(text, { payment })),
    NOW,
  );
  const received = await store.received(100, 1_000_000);
  const records = received.map((item) => verdictRecord(item, sampleVerdict(item.proofData), new Uint8Array(32)));
  await store.recordVerdicts(records, NOW);
  const slots = (await store.pending(100)).map(({ seq }) => seq);
  if (slots.length > 0) await store.closeBatch({ slots, bytes: 1 }, NOW);
  const settled: number[] = [];
  for (const { number } of await store.unsettled(100)) settled.push(...(await settle(store, number)));
  return settled;
}

async function settle(store: Store, number: number): Promise<readonly number[]> {
  const slots = await store.slots(number);
  const amountWei = slots.reduce((sum, slot) => sum + (slot.payment?.priceWei ?? 0n), 0n);
  const charges = [{ payer: PAYER, amountWei, charged: { day: DAY, spentWei: 0n } }];
  const hashes = {
    root: hashOf("r"),
    commitment: hashOf(`c ${number}`),
    previous: hashOf("p"),
    transactionHash: hashOf("t"),
  };
  const settlement = { ...hashes, header: "0x01" as const, verified: 1, commitments: 0, excluded: [], block: 5 };
  await store.settle(number, settlement, RECEIPT_PART, NOW, { charges, mockShort: false });
  return slots.map(({ seq }) => seq);
}
