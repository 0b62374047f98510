/** Making an anchor: the tree over settled batches' commitments, signed over the previous anchor's change, durable. */
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { anchorCommitment, anchorHeader, anchorLeaf, merkleRoot, opReturnData } from "@cairn/proofs";
import type { AnchorCoin, AnchorPort } from "./ports.ts";
import type { Anchor, Store } from "./store.ts";

const MAX_BATCHES = 4_096;

/**
 * The last anchor's change; undefined when there is none, or when something this store does not know spent it: anchors
 * made after the backup the store comes from. The wallet's coin is then the newest of those anchors' change.
 */
async function chainedCoin(o: Parameters<typeof newAnchor>[0]): Promise<AnchorCoin | undefined> {
  const { last, port, tip } = o;
  if (last === undefined) return undefined;
  const isVisible = last.mined !== undefined && last.mined.height <= tip;
  return isVisible && (await port.isSpent(last.change)) ? undefined : last.change;
}

/**
 * Makes the next anchor and stores it as `intent`. Undefined: no batch waits. `unfunded`: there is no coin to start
 * the chain of anchors from.
 */
export async function newAnchor(o: {
  readonly store: Store;
  readonly port: AnchorPort;
  readonly last: Anchor | undefined;
  readonly tip: number;
  readonly nowMs: number;
}): Promise<Anchor | undefined | "unfunded"> {
  const batches = await o.store.unanchored(MAX_BATCHES);
  const commitments = batches.flatMap((batch) =>
    batch.settlement === undefined ? [] : [hexToBytes(batch.settlement.commitment)],
  );
  if (commitments.length === 0) return undefined;
  const chained = await chainedCoin(o);
  const input = chained ?? (await o.port.funding());
  if (input === undefined) return "unfunded";
  const sequence = (o.last?.sequence ?? 0) + 1;
  const root = merkleRoot(commitments.map(anchorLeaf));
  const header = anchorHeader({ sequence: BigInt(sequence), size: commitments.length, root });
  const commitment = anchorCommitment(header);
  const signed = await o.port.sign({ input, data: opReturnData({ sequence: BigInt(sequence), commitment }) });
  const anchor = {
    sequence,
    network: o.port.network,
    size: commitments.length,
    root: bytesToHex(root),
    header: bytesToHex(header),
    commitment: bytesToHex(commitment),
    rawTx: signed.rawTx,
    txid: signed.txid,
    input,
    change: signed.change,
    feeSat: signed.feeSat,
    fromHeight: o.tip,
    createdAtMs: o.nowMs,
  };
  await o.store.createAnchor(
    anchor,
    batches.map((batch) => batch.number),
  );
  const variants = [{ txid: signed.txid, signedHeight: o.tip }];
  return { ...anchor, variants, state: "intent", mined: undefined, finalAtMs: undefined };
}
