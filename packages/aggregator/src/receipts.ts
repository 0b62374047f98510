/** Receipts of submissions, joined from stored parts. What a receipt proves is defined and checked in `@cairn/proofs`. */
import { hexToBytes } from "@cairn/primitives";
import { assembleReceipt, type JsonObject, type LeafRecord, type Receipt } from "@cairn/proofs";
import type { Batch } from "./batch-store.ts";
import type { SettlementPort } from "./ports.ts";
import type { ProofFacts, Store, Submission } from "./store.ts";
import type { SubmissionState } from "./submission-life.ts";

/** A receipt, or the state that is too early for one. */
export type ReceiptOutcome =
  | { readonly ok: true; readonly receipt: Receipt }
  | { readonly ok: false; readonly code: "not-yet"; readonly state: SubmissionState };

/** What stands in a receipt without being proven. */
export interface ReceiptInfo {
  readonly environment: string;
  readonly payment: string;
}

/** Joins the receipt of a submission; a duplicate has its original's. */
export async function receiptOf(
  store: Store,
  port: Pick<SettlementPort, "chainId" | "submitter">,
  info: ReceiptInfo,
  submission: Submission,
): Promise<ReceiptOutcome> {
  const original = await originalOf(store, submission);
  const notYet: ReceiptOutcome = { ok: false, code: "not-yet", state: submission.state };
  if (original.batch === undefined || original.facts === undefined || original.state === "rejected") return notYet;
  const batch = await store.batch(original.batch.number);
  const settlement = await store.receiptSettlement(original.batch.number);
  if (batch?.settlement === undefined || settlement === undefined) return notYet;
  const leaves = await store.leaves(batch.number);
  const receipt = assembleReceipt({
    info: infoObject(info, original, batch),
    record: leafRecord(original, original.facts),
    proofHash: hexToBytes(original.facts.proofHash),
    batch: {
      header: {
        chainId: port.chainId,
        submitter: hexToBytes(port.submitter),
        number: BigInt(batch.number),
        size: leaves.length,
        root: hexToBytes(batch.settlement.root),
        previous: hexToBytes(batch.settlement.previous),
      },
      leaves,
      index: original.batch.index,
    },
    settlement,
    anchor: (await store.receiptAnchor(batch.number)) ?? null,
  });
  return { ok: true, receipt };
}

/** The submission whose batch, receipt and bytes this one shares; itself when it is no duplicate. */
export async function originalOf(store: Store, submission: Submission): Promise<Submission> {
  if (submission.duplicateOf === undefined) return submission;
  return (await store.find(submission.duplicateOf.id)) ?? submission;
}

function infoObject(info: ReceiptInfo, submission: Submission, batch: Batch): JsonObject {
  return {
    environment: info.environment,
    id: submission.id,
    payment: info.payment,
    received_at: new Date(submission.receivedAtMs).toISOString(),
    ...(batch.settlement === undefined ? {} : { settled_at: new Date(batch.settlement.settledAtMs).toISOString() }),
    state: submission.state,
  };
}

function leafRecord(submission: Submission, facts: ProofFacts): LeafRecord {
  return {
    kind: facts.kind,
    system: facts.system,
    curve: facts.curve,
    encoding: facts.encoding,
    version: facts.version,
    vkHash: hexToBytes(facts.vkHash),
    publicInputsHash: hexToBytes(facts.publicInputsHash),
    chainId: submission.chainKey,
    blockNumber: submission.blockNumber === undefined ? null : BigInt(submission.blockNumber),
    salt: hexToBytes(facts.salt),
  };
}
