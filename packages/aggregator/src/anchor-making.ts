/** Making an anchor: the tree over settled batches' commitments, signed over the previous anchor's change, durable. */
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { anchorCommitment, anchorHeader, anchorLeaf, merkleRoot, opReturnData } from "@cairn/proofs";
import type { ChainEnds } from "./anchor-recovery.ts";
import type { Anchor } from "./anchor-store.ts";
import type { AnchorPort } from "./ports.ts";
import type { Store } from "./store.ts";

const MAX_BATCHES = 4_096;

/** What making an anchor takes. */
interface AnchorMaking {
  readonly store: Store;
  readonly port: AnchorPort;
  readonly ends: ChainEnds;
  readonly last: Anchor | undefined;
  readonly tip: number;
  readonly nowMs: number;
  /** What waits in the node's mempool and spends the coin was waited for long enough. */
  readonly mayReplace: boolean;
}

/**
 * Makes the next anchor and stores it as `intent`. Undefined: no batch waits. `unfunded`: there is no coin to start
 * the chain of anchors from. `awaits`: a transaction that this store does not know spends the coin and waits for a block.
 */
export async function newAnchor(
  o: AnchorMaking,
): Promise<Anchor | undefined | "unfunded" | { readonly awaits: string }> {
  const batches = await o.store.unanchored(MAX_BATCHES);
  const commitments = batches.flatMap((batch) =>
    batch.settlement === undefined ? [] : [hexToBytes(batch.settlement.commitment)],
  );
  if (commitments.length === 0) return undefined;
  const end = await o.ends.find(o.last, o.tip);
  if (end === undefined) return undefined;
  const input = end.coin ?? (await o.port.funding());
  if (input === undefined) return "unfunded";
  const awaits = o.mayReplace ? undefined : await o.port.spender(input);
  if (awaits !== undefined) return { awaits };
  const sequence = end.sequence + 1;
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
