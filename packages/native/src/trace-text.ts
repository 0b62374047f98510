/** Translation of trace requests and outcomes; quantities cross as hex. */
import { bytesToHex, quantityToHex } from "@cairn/primitives";
import type { ScriptPlan } from "./script-process.ts";
import { blockText } from "./shapes.ts";
import type { Message, TraceOutcome, TraceRequest } from "./types.ts";

const hex = (value: bigint | undefined) => (value === undefined ? undefined : quantityToHex(value));

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
    data: call.data === undefined ? undefined : bytesToHex(call.data),
    accessList: call.accessList,
  };
}

/** JSON text of a request. */
export function traceText(request: TraceRequest): string {
  switch (request.kind) {
    case "transaction":
      return JSON.stringify(request);
    case "block":
      return JSON.stringify({ ...request, block: blockText(request.block) });
    case "call": {
      const { call, block } = request;
      return JSON.stringify({ ...request, call: messageOf(call), block: blockText(block) });
    }
  }
}

/** The script a trace needs, when it does. */
export function toScriptPlan([code, plan, base, timeoutMs]: readonly string[]): ScriptPlan | undefined {
  if (code !== "script" || plan === undefined || base === undefined) return undefined;
  return { plan, base, timeoutMs: Number(timeoutMs) };
}

/** What a trace came to. */
export function toTraceOutcome(texts: readonly string[]): TraceOutcome {
  const [code, text = ""] = texts;
  switch (code) {
    case "ok":
      return { ok: true, json: text };
    case "unknown-block":
    case "unknown-transaction":
    case "genesis":
    case "options":
      return { ok: false, code, reason: text };
    default:
      return { ok: false, code: "failed", reason: text };
  }
}
