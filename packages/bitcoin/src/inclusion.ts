/**
 * Proof that a transaction stands in a block, with the known defences. Owns the rules of one block's inclusion; which
 * chain the header belongs to is the caller's question.
 */
import { coinbaseHeight } from "./coinbase.ts";
import { equalBytes } from "./hex.ts";
import { foldBranch } from "./merkle.ts";
import { parseStripped, txid } from "./transaction.ts";

/** A transaction and the block's coinbase, stripped, each with its branch (internal order, from the leaf up). */
export interface InclusionProof {
  readonly rawTx: Uint8Array;
  readonly txIndex: number;
  readonly branch: readonly Uint8Array[];
  readonly coinbaseTx: Uint8Array;
  readonly coinbaseBranch: readonly Uint8Array[];
}

/** Why an inclusion proof is false. */
export type InclusionFault =
  | "64-byte-transaction"
  | "coinbase-position"
  | "depth-differs"
  | "false-branch"
  | "root-differs"
  | "not-coinbase";

/** Whether transaction and coinbase lead to one Merkle root at the same depth (CVE-2017-12842, CVE-2012-2459). */
export function checkInclusion(
  proof: InclusionProof,
  merkleRoot: Uint8Array,
): { readonly ok: true } | { readonly ok: false; readonly code: InclusionFault } {
  const no = (code: InclusionFault) => ({ ok: false, code }) as const;
  if (proof.rawTx.length === 64 || proof.coinbaseTx.length === 64) return no("64-byte-transaction");
  if (proof.txIndex === 0) return no("coinbase-position");
  if (proof.branch.length !== proof.coinbaseBranch.length) return no("depth-differs");
  const root = foldBranch(txid(proof.rawTx), proof.txIndex, proof.branch);
  const coinbaseRoot = foldBranch(txid(proof.coinbaseTx), 0, proof.coinbaseBranch);
  if (root === undefined || coinbaseRoot === undefined) return no("false-branch");
  if (!equalBytes(root, merkleRoot) || !equalBytes(coinbaseRoot, merkleRoot)) return no("root-differs");
  return coinbaseHeight(parseStripped(proof.coinbaseTx)) === undefined ? no("not-coinbase") : { ok: true };
}
