/** Call requests as the addon reads them: JSON text with decimal numbers and hex bytes. */
import { type Address, bytesToHex } from "@cairn/primitives";
import { blockText } from "./shapes.ts";
import type { AccountOverride, BlockOverrides, CallPlace, CallRequest, Message, StateOverrides } from "./types.ts";

// Undefined members disappear in the text.

function messageFields(message: Message): object {
  const authorizationList = message.authorizationList?.map(({ address, chainId, nonce, yParity, r, s }) => ({
    address,
    chainId: chainId.toString(),
    nonce: nonce.toString(),
    yParity,
    r: r.toString(),
    s: s.toString(),
  }));
  return {
    from: message.from,
    to: message.to,
    gas: message.gas?.toString(),
    gasPrice: message.gasPriceWei?.toString(),
    maxFeePerGas: message.maxFeePerGasWei?.toString(),
    maxPriorityFeePerGas: message.maxPriorityFeePerGasWei?.toString(),
    value: message.valueWei?.toString(),
    nonce: message.nonce?.toString(),
    accessList: message.accessList,
    authorizationList,
  };
}

function accountFields(account: AccountOverride): object {
  const { state, stateDiff, movePrecompileTo } = account;
  return {
    nonce: account.nonce?.toString(),
    code: account.code === undefined ? undefined : bytesToHex(account.code),
    balance: account.balanceWei?.toString(),
    state,
    stateDiff,
    movePrecompileTo,
  };
}

function stateFields(overrides: StateOverrides = {}): object | undefined {
  const entries = Object.entries(overrides) as [Address, AccountOverride][];
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([address, account]) => [address, accountFields(account)]));
}

function blockFields(overrides: BlockOverrides = {}): object {
  const { feeRecipient, prevRandao, beaconRoot } = overrides;
  return {
    number: overrides.number?.toString(),
    time: overrides.time?.toString(),
    gasLimit: overrides.gasLimit?.toString(),
    feeRecipient,
    prevRandao,
    baseFeePerGas: overrides.baseFeePerGasWei?.toString(),
    blobBaseFee: overrides.blobBaseFeeWei?.toString(),
    beaconRoot,
  };
}

function placeFields(place: CallPlace): object {
  return {
    block: blockText(place.block),
    stateOverrides: stateFields(place.stateOverrides),
    blockOverrides: place.blockOverrides === undefined ? undefined : blockFields(place.blockOverrides),
    gasCap: place.gasCap?.toString(),
    timeoutMs: place.timeoutMs,
  };
}

/** A call request without its data. */
export function callText(request: CallRequest): string {
  return JSON.stringify({ ...messageFields(request), ...placeFields(request) });
}
