/**
 * Applying one committed `BatchSettled` log: excluded slots, root, header and commitment are computed here and must
 * equal the chain's; then batch and receipts' shared part become durable together.
 */
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { batchCommitment, batchHeader, excludedLeaf, merkleRoot, settlementPart } from "@cairn/proofs";
import type { BatchSettlement } from "./batch-store.ts";
import type { Clock, Log, SettledEvent, SettlementPort } from "./ports.ts";
import type { Store } from "./store.ts";

/** The chain settled something else than this store closed: a fault to be looked at, never retried into silence. */
export class SettlementMismatchError extends Error {
  override readonly name = "SettlementMismatchError";
}

/** Applies the log of an own batch. Repeatable; unknown numbers are reported and skipped. */
export async function applySettled(
  o: {
    readonly store: Store;
    readonly port: SettlementPort;
    readonly clock: Clock;
    readonly log: Log;
    readonly mockShort?: () => boolean;
    readonly onSettled: (number: number) => void;
    readonly onExcluded?: (detail: string) => Promise<void>;
  },
  event: SettledEvent,
): Promise<void> {
  const batch = await o.store.batch(event.number);
  if (batch === undefined) {
    await adopt(o, event);
    return;
  }
  if (batch.state !== "batched") return;
  const settlement = await expectedSettlement(o.store, o.port, event);
  const part = settlementPart(await o.port.parts(event));
  const payments = { charges: event.charges, mockShort: o.mockShort?.() ?? false };
  if (settlement.excluded.length > 0) {
    await o.onExcluded?.(`batch ${event.number}: the validators excluded slots ${settlement.excluded.join(", ")}`);
  }
  const { applied } = await o.store.settle(event.number, settlement, part, o.clock(), payments);
  if (!applied) return;
  const skipped = event.charges.filter((charge) => charge.charged === undefined).map((charge) => charge.payer);
  if (skipped.length > 0) o.log.warn({ batch: event.number, payers: skipped }, "the vault skipped payers");
  if (settlement.excluded.length > 0) {
    o.log.error({ batch: event.number, excluded: settlement.excluded }, "the validators excluded verified slots");
  }
  o.log.info({ batch: event.number, block: event.block, size: event.size }, "batch settled");
  o.onSettled(event.number);
}

/**
 * A batch that was closed after the backup this store comes from: numbering goes on after it. Its submissions, where
 * they are here, are batched again.
 */
async function adopt(o: { readonly store: Store; readonly log: Log }, event: SettledEvent): Promise<void> {
  o.log.warn({ number: event.number }, "a batch of this settler is on the chain but not in this store");
  const [newest] = await o.store.batches({ limit: 1 });
  const base = Number((await o.store.setting("batch-base")) ?? 0);
  if (event.number <= Math.max(base, newest?.number ?? 0)) return;
  await o.store.set("batch-base", String(event.number));
  await o.store.set("batch-base-commitment", event.commitment);
}

async function expectedSettlement(store: Store, port: SettlementPort, event: SettledEvent): Promise<BatchSettlement> {
  const { excluded } = event;
  const out = new Set(excluded);
  const leaves = (await store.leaves(event.number)).map((leaf, index) => (out.has(index) ? excludedLeaf() : leaf));
  const previous = await previousCommitment(store, event.number);
  const root = merkleRoot(leaves);
  const header = batchHeader({
    chainId: port.chainId,
    submitter: hexToBytes(port.submitter),
    number: BigInt(event.number),
    size: leaves.length,
    root,
    previous: hexToBytes(previous),
  });
  const commitment = bytesToHex(batchCommitment(header));
  if (bytesToHex(root) !== event.root || commitment !== event.commitment) {
    throw new SettlementMismatchError(
      `batch ${event.number}: the chain settled ${event.commitment}, not ${commitment}`,
    );
  }
  return {
    root: bytesToHex(root),
    header: bytesToHex(header),
    commitment,
    previous,
    verified: event.verified,
    commitments: event.commitments,
    excluded,
    transactionHash: event.transactionHash,
    block: event.block,
  };
}

const NO_COMMITMENT = `0x${"00".repeat(32)}` as const;

async function previousCommitment(store: Store, number: number): Promise<`0x${string}`> {
  const before = await store.batch(number - 1);
  if (before !== undefined) {
    if (before.settlement === undefined) throw new SettlementMismatchError(`batch ${number} settled before its turn`);
    return before.settlement.commitment;
  }
  const base = await store.setting("batch-base-commitment");
  return base?.startsWith("0x") ? `0x${base.slice(2)}` : NO_COMMITMENT;
}
