/** Owns the wire error of each way a submitted transaction is refused: geth's texts. */
import { type RpcError, rpcError } from "@cairn/api";
import type { SubmitOutcome } from "@cairn/chain";

/** A refusal of the chain. */
export type Refusal = Exclude<SubmitOutcome, { readonly ok: true }>;

type PoolCode = "nonce-too-low" | "insufficient-funds" | "below-minimum";

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
  const { have = 0n, want = 0n } = "have" in refusal || "want" in refusal ? refusal : {};
  switch (refusal.code) {
    case "nonce-too-low":
    case "insufficient-funds":
    case "below-minimum":
      return measuredError(refusal);
    case "undecodable":
      return rpcError("undecodable-transaction", {});
    case "unsupported-type":
      return rpcError("unsupported-transaction-type", {});
    case "wrong-chain-id":
      return rpcError("wrong-chain-id", { have, want });
    case "unprotected":
      return rpcError("unprotected", {});
    case "invalid-signature":
      return rpcError("invalid-sender", {});
    case "intrinsic-gas":
    case "floor-gas":
      return rpcError(refusal.code, { have, want });
    case "gas-above-block-limit":
      return rpcError("block-gas-limit", {});
    case "initcode-too-large":
      return rpcError("initcode-too-large", { have, want });
    case "tip-above-fee-cap":
      return rpcError("tip-above-cap-transaction", {});
    case "oversized":
      return rpcError("oversized", { have, want });
    case "closed":
      return rpcError("closing", {});
    case "empty-authorization-list":
    case "already-known":
    case "replacement-underpriced":
    case "underpriced":
    case "pool-full":
    case "future-replaces-pending":
    case "in-flight-limit":
    case "delegated-gap":
    case "authority-reserved":
      return rpcError(refusal.code, {});
  }
}
