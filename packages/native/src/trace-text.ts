/** Translation of trace requests and outcomes; quantities cross as hex. */
import { bytesToHex, quantityToHex } from "@cairn/primitives";
import { withBigIntMethods } from "./big-int-methods.ts";
import type { AdmitCode, NotAdmitted } from "./boundary/admission.ts";
import type { AccountOverride, BlockOverrides, Message, StateOverrides } from "./boundary/message.ts";
import type { TraceOutcome, TraceRequest } from "./boundary/trace.ts";
import type { ScriptPlan } from "./script-process.ts";
import { blockText } from "./shapes.ts";

const hex = (value: bigint | undefined) => (value === undefined ? undefined : quantityToHex(value));
const bytes = (value: Uint8Array | undefined) => (value === undefined ? undefined : bytesToHex(value));

// Undefined members disappear in the text.

function messageOf(call: Message): object {
  return {
    from: call.from,
    to: call.to,
    gas: hex(call.gas),
    gasPrice: hex(call.gasPriceWei),
    maxFeePerGas: hex(call.maxFeePerGasWei),
    maxPriorityFeePerGas: hex(call.maxPriorityFeePerGasWei),
    value: hex(call.valueWei),
    nonce: hex(call.nonce),
    data: bytes(call.data),
    accessList: call.accessList,
    authorizationList: call.authorizationList?.map(({ address, chainId, nonce, yParity, r, s }) => ({
      address,
      chainId: hex(chainId),
      nonce: hex(nonce),
      yParity: hex(BigInt(yParity)),
      r: hex(r),
      s: hex(s),
    })),
  };
}

function accountOf({ nonce, code, balanceWei, state, stateDiff, movePrecompileTo }: AccountOverride): object {
  return { nonce: hex(nonce), code: bytes(code), balance: hex(balanceWei), state, stateDiff, movePrecompileTo };
}

function stateOf(overrides: StateOverrides = {}): object {
  return Object.fromEntries(Object.entries(overrides).map(([address, account]) => [address, accountOf(account)]));
}

function blockOf(overrides: BlockOverrides = {}): object {
  const { feeRecipient, prevRandao, beaconRoot } = overrides;
  return {
    ...{ feeRecipient, prevRandao, beaconRoot },
    number: hex(overrides.number),
    time: hex(overrides.time),
    gasLimit: hex(overrides.gasLimit),
    baseFeePerGas: hex(overrides.baseFeePerGasWei),
    blobBaseFee: hex(overrides.blobBaseFeeWei),
  };
}

/** The request with its script, if its tracer is one, made ready. */
function prepared(request: TraceRequest): TraceRequest {
  if (!("options" in request) || request.options.tracer === undefined) return request;
  return { ...request, options: { ...request.options, tracer: withBigIntMethods(request.options.tracer) } };
}

/** JSON text of a request. */
export function traceText(sent: TraceRequest): string {
  const request = prepared(sent);
  switch (request.kind) {
    case "transaction":
      return JSON.stringify(request);
    case "block":
    case "files":
      return JSON.stringify({ ...request, block: blockText(request.block) });
    case "call": {
      const { call, block, stateOverrides, blockOverrides } = request;
      const overrides = { stateOverrides: stateOf(stateOverrides), blockOverrides: blockOf(blockOverrides) };
      return JSON.stringify({ ...request, ...overrides, call: messageOf(call), block: blockText(block) });
    }
    case "calls": {
      const calls = request.calls.map(({ call, options }) => ({ call: messageOf(call), options }));
      return JSON.stringify({ ...request, calls, block: blockText(request.block) });
    }
    case "raw":
      return JSON.stringify({ ...request, raw: bytesToHex(request.raw), block: blockText(request.block) });
  }
}

/** The script a trace needs, when it does. */
export function toScriptPlan([code, plan, base, timeoutMs, hashes]: readonly string[]): ScriptPlan | undefined {
  if (code !== "script" || plan === undefined || base === undefined) return undefined;
  return { plan, base, timeoutMs: Number(timeoutMs), ...(hashes ? { hashes: JSON.parse(hashes) } : {}) };
}

function toRefusal(text: string): NotAdmitted {
  const [code, have, want] = text.split(" ");
  const numbers = have === undefined || want === undefined ? {} : { have: BigInt(have), want: BigInt(want) };
  return { ok: false, code: code as AdmitCode, ...numbers };
}

/** What a trace came to. */
export function toTraceOutcome(texts: readonly string[]): TraceOutcome {
  const [code, text = ""] = texts;
  switch (code) {
    case "ok":
      return { ok: true, json: text };
    case "refused":
      return { ok: false, code, reason: text, refusal: toRefusal(text) };
    case "unknown-block":
    case "unknown-transaction":
    case "genesis":
    case "options":
      return { ok: false, code, reason: text };
    default:
      return { ok: false, code: "failed", reason: text };
  }
}
