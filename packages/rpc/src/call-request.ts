/** Owns making a native call of a decoded call object: fee rules and the chain check of geth's `CallDefaults`. */
import { type CallParam, rpcError } from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";
import type { BlockRef } from "./block-ref.ts";

/** A call as the native core takes it. */
export type CallRequest = Parameters<ChainReads["call"]>[0];

function checkFees(call: CallParam): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call;
  const isDynamic = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined;
  if (gasPrice !== undefined && isDynamic) throw rpcError("both-fee-styles", {});
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxFeePerGas < maxPriorityFeePerGas) {
    throw rpcError("tip-above-fee-cap", { maxFee: maxFeePerGas, tip: maxPriorityFeePerGas });
  }
}

/** The native call for a call object on a block. Throws `RpcError` for contradictory fees or another chain. */
export function callRequest(chain: Chain, call: CallParam, block: BlockRef): CallRequest {
  checkFees(call);
  if (call.chainId !== undefined && call.chainId !== chain.chainId) {
    throw rpcError("wrong-call-chain", { have: call.chainId, want: chain.chainId });
  }
  const { from, to, gas, nonce, data, accessList } = call;
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(gas === undefined ? {} : { gas }),
    ...(call.gasPrice === undefined ? {} : { gasPriceWei: call.gasPrice }),
    ...(call.maxFeePerGas === undefined ? {} : { maxFeePerGasWei: call.maxFeePerGas }),
    ...(call.maxPriorityFeePerGas === undefined ? {} : { maxPriorityFeePerGasWei: call.maxPriorityFeePerGas }),
    ...(call.value === undefined ? {} : { valueWei: call.value }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(data === undefined ? {} : { data }),
    ...(accessList === undefined ? {} : { accessList }),
    block,
  };
}
