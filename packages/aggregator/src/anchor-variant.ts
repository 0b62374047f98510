/**
 * When an unconfirmed anchor is signed again, and doing it: written before it is sent, as the first one was. Every
 * variant spends the same outpoint, so at most one is ever confirmed; which fee it offers is the port's.
 *
 *   its predecessor was mined as another variant   --> signed over that one's change ("rebased")
 *   the node refused it as too cheap               --> a higher fee, at once ("refused")
 *   the node lacks a further input of it           --> without that input, for a higher fee ("refused")
 *   `bumpBlocks` came since it was signed last     --> a higher fee ("waited")
 */
import { hexToBytes } from "@cairn/primitives";
import { opReturnData } from "@cairn/proofs";
import type { Anchor } from "./anchor-store.ts";
import type { AnchorPort, BroadcastOutcome, Log, SignedAnchor } from "./ports.ts";
import type { Store } from "./store.ts";

/** Why an anchor is signed again. */
export type VariantReason = "rebased" | "refused" | "waited";

/** What decides over the oldest unconfirmed anchor. */
export interface VariantFacts {
  readonly anchor: Pick<Anchor, "input" | "variants">;
  /** The anchor before it; undefined: it is the first. */
  readonly predecessor: Pick<Anchor, "change" | "mined"> | undefined;
  readonly tip: number;
  /** What the node said of it just now; undefined: it was not asked. */
  readonly outcome: BroadcastOutcome | undefined;
  /** Of an anchor refused for missing inputs: the chained one is there, so it is a further one that is gone. */
  readonly hasChained?: boolean;
  readonly bumpBlocks: number;
}

/** More would only fill the store: the fee's cap is reached long before. */
const MAX_VARIANTS = 64;

/** Whether a further variant is due; undefined: not now. Pure. */
export function variantDue({ anchor, predecessor, ...o }: VariantFacts): VariantReason | undefined {
  if (anchor.variants.length >= MAX_VARIANTS) return undefined;
  const isOrphan = predecessor?.mined !== undefined && !sameCoin(predecessor.change, anchor.input);
  if (isOrphan) return "rebased";
  if (o.outcome?.ok === false && o.outcome.code === "fee-too-low") return "refused";
  if (o.hasChained) return "refused";
  // What it spends is gone: another variant is in a block, or the predecessor is not there yet.
  if (o.outcome?.ok === false && o.outcome.code === "missing-inputs") return undefined;
  const signedHeight = anchor.variants.at(-1)?.signedHeight ?? o.tip;
  return o.tip >= signedHeight + o.bumpBlocks ? "waited" : undefined;
}

const sameCoin = (left: Anchor["input"], right: Anchor["input"]): boolean =>
  left.txid === right.txid && left.vout === right.vout;

/** What signing again works on. */
export interface VariantParts {
  readonly store: Store;
  readonly port: AnchorPort;
  readonly log: Log;
}

/** Signs a variant and stores it. `capped`: no higher fee is allowed. */
export async function signVariant(
  o: VariantParts,
  anchor: Anchor,
  due: { readonly reason: VariantReason; readonly predecessor: Anchor | undefined; readonly tip: number },
): Promise<"signed" | "capped"> {
  const data = opReturnData({ sequence: BigInt(anchor.sequence), commitment: hexToBytes(anchor.commitment) });
  const input = due.reason === "rebased" && due.predecessor !== undefined ? due.predecessor.change : anchor.input;
  const signed = await signOne(o.port, { anchor, input, data, reason: due.reason });
  if (signed === undefined) return "capped";
  await o.store.addVariant(anchor.sequence, { ...signed, input, signedHeight: due.tip });
  const fields = { anchor: anchor.sequence, txid: signed.txid, fee: signed.feeSat, reason: due.reason };
  o.log.info(fields, "anchor signed again");
  return "signed";
}

function signOne(
  port: AnchorPort,
  o: {
    readonly anchor: Anchor;
    readonly input: Anchor["input"];
    readonly data: Uint8Array;
    readonly reason: VariantReason;
  },
): Promise<SignedAnchor | undefined> {
  if (o.reason === "rebased") return port.sign({ input: o.input, data: o.data });
  const { rawTx, feeSat, variants } = o.anchor;
  return port.bump({ input: o.input, data: o.data, previous: { rawTx, feeSat }, round: variants.length });
}
