/** Durable records as REST resources: snake_case, RFC 3339 times, 0x-hex. */

import type { Aggregator, Anchor, Batch, Submission } from "@cairn/aggregator";
import type { AnchorResource, BatchResource, SubmissionAck, SubmissionResource } from "@cairn/api";
import type { SubmissionReads } from "./page-reads.ts";

type Store = Aggregator["store"];

/** RFC 3339, UTC, milliseconds. */
export function time(ms: number): string {
  return new Date(ms).toISOString();
}

/** Links of a submission; always the versioned path. */
function links(id: string): { readonly status_url: string; readonly receipt_url: string } {
  return { status_url: `/v1/proofs/${id}`, receipt_url: `/v1/proofs/${id}/receipt` };
}

/** The answer to a submission. */
export function submissionAck(submission: Submission, duplicate: boolean): SubmissionAck {
  return {
    id: submission.id,
    state: submission.state,
    chain_id: submission.chainId,
    ...(submission.blockNumber === undefined ? {} : { block_number: submission.blockNumber }),
    ...(submission.externalId === undefined ? {} : { external_id: submission.externalId }),
    received_at: time(submission.receivedAtMs),
    ...links(submission.id),
    ...(duplicate ? { duplicate: true as const } : {}),
    ...(submission.error === undefined ? {} : { error: submission.error }),
  };
}

/** A submission with history, batch, settlement and anchor. */
export async function submissionResource(
  store: SubmissionReads,
  chainId: bigint,
  s: Submission,
): Promise<SubmissionResource> {
  const history = await store.history(s.seq);
  const batch = s.batch === undefined || s.state === "rejected" ? undefined : await store.batch(s.batch.number);
  return {
    ...contentOf(s),
    ...(s.error === undefined ? {} : { error: s.error }),
    ...(s.duplicateOf === undefined ? {} : { duplicate_of: s.duplicateOf.id }),
    ...factsOf(s),
    history: history.map((entry) => ({ state: entry.state, at: time(entry.atMs) })),
    ...(s.batch === undefined ? {} : { batch: { ...s.batch, url: `/v1/batches/${s.batch.number}` } }),
    ...(batch === undefined ? {} : await progressOf(store, chainId, batch)),
    ...(s.payment === undefined ? {} : { payment: paymentOf(s.payment) }),
    ...links(s.id),
  };
}

function paymentOf({ mode, state, priceWei }: NonNullable<Submission["payment"]>) {
  return { mode, state, price: priceWei.toString() };
}

function contentOf(s: Submission) {
  return {
    id: s.id,
    state: s.state,
    chain_id: s.chainId,
    ...(s.blockNumber === undefined ? {} : { block_number: s.blockNumber }),
    ...(s.externalId === undefined ? {} : { external_id: s.externalId }),
    ...(s.metadata === undefined ? {} : { metadata: JSON.parse(s.metadata) }),
    ...(s.source === "" ? {} : { source: s.source }),
    ...(s.reorgOf === undefined ? {} : { reorg_of: s.reorgOf }),
    received_at: time(s.receivedAtMs),
    updated_at: time(s.updatedAtMs),
  };
}

function factsOf({ facts }: Submission) {
  if (facts === undefined) return {};
  const of = { kind: facts.kind, system: facts.system, curve: facts.curve, encoding: facts.encoding };
  const hashes = { proof_hash: facts.proofHash, version: facts.version };
  if (facts.kind === "commitment") return { ...of, ...hashes };
  return {
    ...of,
    ...hashes,
    vk_hash: facts.vkHash,
    public_inputs_hash: facts.publicInputsHash,
    ...(facts.statement === undefined ? {} : { statement: facts.statement }),
  };
}

async function progressOf(store: Pick<Store, "anchor">, chainId: bigint, batch: Batch) {
  const anchor = batch.anchor === undefined ? undefined : await store.anchor(batch.anchor.sequence);
  return {
    ...(batch.settlement === undefined
      ? {}
      : {
          settlement: {
            chain_id: Number(chainId),
            transaction_hash: batch.settlement.transactionHash,
            block_number: batch.settlement.block,
            settled_at: time(batch.settlement.settledAtMs),
          },
        }),
    ...(anchor === undefined ? {} : { anchor: anchorRef(anchor) }),
  };
}

/** A batch of the public register. */
export async function batchResource(
  store: Pick<Store, "anchor">,
  chainId: bigint,
  batch: Batch,
): Promise<BatchResource> {
  const { settlement } = batch;
  return {
    number: batch.number,
    state: batch.state,
    size: batch.size,
    closed_at: time(batch.closedAtMs),
    ...(settlement === undefined
      ? {}
      : {
          root: settlement.root,
          header: settlement.header,
          commitment: settlement.commitment,
          verified: settlement.verified,
          commitments: settlement.commitments,
          excluded: [...settlement.excluded],
        }),
    ...(await progressOf(store, chainId, batch)),
  };
}

function anchorRef(anchor: Anchor) {
  return {
    sequence: anchor.sequence,
    network: anchor.network,
    txid: anchor.txid,
    state: anchor.state,
    ...(anchor.mined === undefined ? {} : { height: anchor.mined.height, block_hash: anchor.mined.blockHash }),
  };
}

/** An anchor of the public register. */
export async function anchorResource(store: Store, anchor: Anchor): Promise<AnchorResource> {
  const batches = await store.anchorBatches(anchor.sequence);
  return {
    ...anchorRef(anchor),
    size: anchor.size,
    root: anchor.root,
    header: anchor.header,
    commitment: anchor.commitment,
    batches: batches.map((batch) => batch.number),
    fee_sat: anchor.feeSat,
    created_at: time(anchor.createdAtMs),
    ...(anchor.mined === undefined ? {} : { mined_at: time(anchor.mined.atMs) }),
    ...(anchor.finalAtMs === undefined ? {} : { final_at: time(anchor.finalAtMs) }),
  };
}
