/** Owns making native calls of decoded parameters: fee rules, the chain check of geth's `CallDefaults`, overrides. */
import {
  type AccountOverrideParam,
  type BlockOverridesParam,
  type CallParam,
  rpcError,
  type StateOverridesParam,
} from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";
import type { Address } from "@cairn/primitives";
import type { ReadRef } from "./block-ref.ts";
import type { RpcSettings } from "./options.ts";

/** A call as the native core takes it. */
export type CallRequest = Parameters<ChainReads["call"]>[0];

/** The part of a call that is the message. */
export type Message = Omit<CallRequest, "block" | "stateOverrides" | "blockOverrides" | "gasCap" | "timeoutMs">;

/** What operators allow calls. */
export type CallSettings = Pick<RpcSettings, "gasCap" | "evmTimeoutMs">;

function checkFees(call: CallParam): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call;
  const isDynamic = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined;
  if (gasPrice !== undefined && isDynamic) throw rpcError("both-fee-styles", {});
}

/** The native message of a call object. Throws `RpcError` for contradictory fees or another chain. */
export function message(chain: Chain, call: CallParam): Message {
  checkFees(call);
  if (call.chainId !== undefined && call.chainId !== chain.chainId) {
    throw rpcError("wrong-call-chain", { have: call.chainId, want: chain.chainId });
  }
  const { from, to, gas, nonce, data, accessList, authorizationList } = call;
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
    ...(authorizationList === undefined ? {} : { authorizationList }),
  };
}

/** State overrides as the native core takes them. */
export function nativeStateOverrides(overrides: StateOverridesParam): NonNullable<CallRequest["stateOverrides"]> {
  const entries = Object.entries(overrides) as [Address, AccountOverrideParam][];
  return Object.fromEntries(
    entries.map(([address, { balance, movePrecompileToAddress, ...same }]) => [
      address,
      {
        ...same,
        ...(balance === undefined ? {} : { balanceWei: balance }),
        ...(movePrecompileToAddress === undefined ? {} : { movePrecompileTo: movePrecompileToAddress }),
      },
    ]),
  );
}

/** Block overrides as the native core takes them. */
export function nativeBlockOverrides(overrides: BlockOverridesParam): NonNullable<CallRequest["blockOverrides"]> {
  const { baseFeePerGas, blobBaseFee, ...same } = overrides;
  return {
    ...same,
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGasWei: baseFeePerGas }),
    ...(blobBaseFee === undefined ? {} : { blobBaseFeeWei: blobBaseFee }),
  };
}

/** The operator's limits as the native core takes them. */
export function nativeLimits({ gasCap, evmTimeoutMs }: CallSettings): Pick<CallRequest, "gasCap" | "timeoutMs"> {
  return { ...(gasCap === 0n ? {} : { gasCap }), timeoutMs: evmTimeoutMs };
}

/** Both kinds of overrides of one call. */
export interface Overrides {
  readonly state: StateOverridesParam;
  readonly block: BlockOverridesParam;
}

const NO_OVERRIDES: Overrides = { state: {}, block: {} };

/** The native call for a call object on a block. Throws `RpcError` for contradictory fees or another chain. */
export function callRequest(
  chain: Chain,
  settings: CallSettings,
  call: CallParam,
  block: ReadRef,
  overrides: Overrides = NO_OVERRIDES,
): CallRequest {
  return {
    ...message(chain, call),
    ...nativeLimits(settings),
    block,
    stateOverrides: nativeStateOverrides(overrides.state),
    blockOverrides: nativeBlockOverrides(overrides.block),
  };
}
