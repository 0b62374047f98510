/** Owns the wire error of each way a gas estimate fails. */
import { type RpcError, rpcError } from "@cairn/api";
import type { ChainReads } from "@cairn/chain";
import { revertError } from "./revert.ts";

type Failure = Exclude<Awaited<ReturnType<ChainReads["estimateGas"]>>, { readonly ok: true }>;

/** The wire error of a failed estimate. */
export function estimateError(outcome: Failure): RpcError {
  if (outcome.code === "reverted") return revertError(outcome.data);
  if (outcome.code === "allowance") return rpcError("gas-allowance", { allowance: outcome.allowance });
  if (outcome.code === "halted") return rpcError("halted", { reason: outcome.reason });
  if (outcome.code === "refused") return rpcError("call-refused", { reason: outcome.reason });
  return rpcError("header-not-found", {});
}
