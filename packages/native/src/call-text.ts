/** Call requests as the addon reads them: JSON text with decimal numbers and hex bytes. */
import { type Address, bytesToHex } from "@cairn/primitives";
import type { AccessListOutcome, CallPlace, CallRequest } from "./boundary/call.ts";
import type { AccountOverride, BlockOverrides, Message, StateOverrides } from "./boundary/message.ts";
import type { CallManyRequest, SimulateOutcome, SimulateRequest } from "./boundary/simulation.ts";
import { blockText } from "./shapes.ts";

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

const withData = (call: Message): object => ({
  ...messageFields(call),
  data: call.data === undefined ? undefined : bytesToHex(call.data),
});

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

/** A simulation. */
export function simulateText(request: SimulateRequest): string {
  const { traceTransfers, validation, fullTransactions } = request;
  const blocks = request.blocks.map(({ stateOverrides, blockOverrides, calls }) => ({
    stateOverrides: stateFields(stateOverrides),
    blockOverrides: blockFields(blockOverrides),
    calls: calls.map(withData),
  }));
  return JSON.stringify({ blocks, traceTransfers, validation, fullTransactions, ...placeFields(request) });
}

/** Bundles of messages. */
export function callManyText(request: CallManyRequest): string {
  const bundles = request.bundles.map(({ blockOverrides, calls }) => ({
    blockOverrides: blockFields(blockOverrides),
    calls: calls.map(withData),
  }));
  return JSON.stringify({ bundles, transactions: request.transactions, ...placeFields(request) });
}

/** Outcome of an access list or of bundles: a word, and text. */
export function toAccessListOutcome([word, text = ""]: readonly string[]): AccessListOutcome {
  if (word === "done") return { ok: true, json: text };
  return word === "refused" ? { ok: false, code: "refused", reason: text } : { ok: false, code: "unknown-block" };
}

/** Outcome of a simulation: a word, and texts. */
export function toSimulateOutcome([word, first = "", second = ""]: readonly string[]): SimulateOutcome {
  if (word === "done") return { ok: true, json: first };
  if (word !== "failed") return { ok: false, code: "unknown-block" };
  return { ok: false, code: "failed", rpcCode: Number(first), reason: second };
}
