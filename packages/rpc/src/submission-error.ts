/** Owns the wire error of each way a submitted transaction is refused: geth's texts. */
import { type RpcError, rpcError } from "@cairn/api";
import type { SubmitOutcome } from "@cairn/chain";

/** A refusal of the chain. */
export type Refusal = Exclude<SubmitOutcome, { readonly ok: true }>;

type PoolCode = "nonce-too-low" | "insufficient-funds" | "below-minimum";

/** Where the catalogue's name is another than the chain's code; every other error has its code's name. */
const NAMES = {
  undecodable: "undecodable-transaction",
  "unsupported-type": "unsupported-transaction-type",
  "invalid-signature": "invalid-sender",
  "gas-above-block-limit": "block-gas-limit",
  "tip-above-fee-cap": "tip-above-cap-transaction",
  closed: "closing",
} as const;

function isRenamed(code: Refusal["code"]): code is keyof typeof NAMES {
  return Object.hasOwn(NAMES, code);
}

function measuredError(refusal: Extract<Refusal, { readonly code: PoolCode }>): RpcError {
  switch (refusal.code) {
    case "nonce-too-low":
      return rpcError("nonce-too-low", { next: refusal.next, got: refusal.got });
    case "below-minimum":
      return rpcError("below-minimum", { got: refusal.gotWei, minimum: refusal.minimumWei });
    case "insufficient-funds": {
      const { balanceWei, costWei, pooledWei, overshotWei } = refusal;
      const values = { balance: balanceWei, cost: costWei, overshot: overshotWei };
      if (pooledWei === 0n) return rpcError("insufficient-funds", values);
      return rpcError("insufficient-funds-queued", { ...values, queued: pooledWei });
    }
  }
}

/** The wire error of a refused transaction. */
export function submissionError(refusal: Refusal): RpcError {
  switch (refusal.code) {
    case "nonce-too-low":
    case "insufficient-funds":
    case "below-minimum":
      return measuredError(refusal);
    case "wrong-chain-id":
    case "intrinsic-gas":
    case "floor-gas":
    case "initcode-too-large":
    case "oversized":
      return rpcError(refusal.code, { have: refusal.have ?? 0n, want: refusal.want ?? 0n });
    default:
      return isRenamed(refusal.code) ? rpcError(NAMES[refusal.code], {}) : rpcError(refusal.code, {});
  }
}
