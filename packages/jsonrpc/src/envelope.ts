/**
 * Owns the JSON-RPC 2.0 envelope: from the text of a message to calls, and from results to the text of a reply. Pure.
 * Rules and texts are geth's: a request without `id` is a notification, object and array ids are invalid requests.
 */
import type { RpcResult } from "./types.ts";

/** One member of a message. `id` is JSON text; `undefined` marks a notification, which gets no reply. */
export type Call =
  | { readonly valid: true; readonly id: string | undefined; readonly method: string; readonly params: unknown }
  | { readonly valid: false; readonly id: string };

/** A whole message. `fault`: no call can be read from it, and the reply is `errorReply`. */
export type Message =
  | { readonly kind: "single"; readonly call: Call }
  | { readonly kind: "batch"; readonly calls: readonly Call[] }
  | { readonly kind: "fault"; readonly reply: string };

/** A failure of the envelope itself. */
export interface Fault {
  readonly code: number;
  readonly message: string;
}

/** The message is no JSON (JSON-RPC 2.0, section 5.1). */
export const PARSE_ERROR: Fault = { code: -32700, message: "parse error" };

/** The message is JSON and no request (JSON-RPC 2.0, section 5.1). */
export const INVALID_REQUEST: Fault = { code: -32600, message: "invalid request" };

/** A batch without calls. */
export const EMPTY_BATCH: Fault = { code: -32600, message: "empty batch" };

/** A batch of more calls than the limit. */
export const BATCH_TOO_LARGE: Fault = { code: -32600, message: "batch too large" };

/** A message nested more deeply than the limit. */
export const TOO_DEEP: Fault = { code: -32600, message: "invalid request: nested too deeply" };

/** The call was not answered within the limit (geth's code). */
export const TIMED_OUT: Fault = { code: -32002, message: "request timed out" };

/** The results of a batch exceed the limit (geth's code). */
export const RESPONSE_TOO_LARGE: Fault = { code: -32003, message: "response too large" };

/** A fault of the server (JSON-RPC 2.0, section 5.1). */
export const INTERNAL_ERROR: Fault = { code: -32603, message: "internal error" };

/** Reply with an error. `id` and `data` are JSON texts. */
export function errorReply(id: string, fault: Fault, data?: string): string {
  const tail = data === undefined ? "" : `,"data":${data}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${fault.code},"message":${JSON.stringify(fault.message)}${tail}}}`;
}

/** Reply to one call. */
export function resultReply(id: string, result: RpcResult): string {
  return result.ok ? `{"jsonrpc":"2.0","id":${id},"result":${result.json}}` : errorReply(id, result, result.data);
}

/** Whether the JSON text nests deeper than `limit`; brackets inside strings do not count. */
export function nestsDeeper(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      for (i++; i < text.length; i++) {
        const inside = text.charCodeAt(i);
        if (inside === 0x22) break;
        if (inside === 0x5c) i++;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Longest message read a second time for the digits of an id: that reading is much slower. */
const MAX_EXACT_LENGTH = 256 * 1024;

/** Number ids beyond the safe integers lose digits when parsed: their source texts, by request object. */
type IdSources = Map<unknown, string>;

function parseJson(text: string): { value: unknown; sources?: IdSources } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (text.length > MAX_EXACT_LENGTH || !hasUnsafeId(value)) return { value };
    const sources: IdSources = new Map();
    const exact: unknown = JSON.parse(
      text,
      function (this: unknown, key, inner: unknown, context?: { source?: string }) {
        if (key === "id" && context?.source !== undefined) sources.set(this, context.source);
        return inner;
      },
    );
    return { value: exact, sources };
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function hasUnsafeId(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && isUnsafeNumber(item.id));
  return isObject(value) && isUnsafeNumber(value.id);
}

function isUnsafeNumber(id: unknown): boolean {
  return typeof id === "number" && !Number.isSafeInteger(id);
}

function readCall(value: unknown, sources: IdSources | undefined): Call {
  if (!isObject(value)) return { valid: false, id: "null" };
  const { id, jsonrpc, method, params } = value;
  const validId = typeof id !== "object" || id === null;
  const idText = id === undefined || !validId ? undefined : (sources?.get(value) ?? JSON.stringify(id));
  const validParams = params === undefined || params === null || typeof params === "object";
  if (jsonrpc !== "2.0" || typeof method !== "string" || method === "" || !validId || !validParams) {
    return { valid: false, id: idText ?? "null" };
  }
  return { valid: true, id: idText, method, params: params ?? undefined };
}

/** Reads a message. Bounds are checked before anything is built from the text. */
export function readMessage(text: string, limits: { jsonDepth: number; batchItems: number }): Message {
  const fault = (reason: Fault): Message => ({ kind: "fault", reply: errorReply("null", reason) });
  if (nestsDeeper(text, limits.jsonDepth)) return fault(TOO_DEEP);
  const parsed = parseJson(text);
  if (parsed === undefined) return fault(PARSE_ERROR);
  const { value, sources } = parsed;
  if (!Array.isArray(value)) return { kind: "single", call: readCall(value, sources) };
  if (value.length === 0) return fault(EMPTY_BATCH);
  if (value.length > limits.batchItems) {
    const first = value.slice(0, limits.batchItems).map((item) => readCall(item, sources));
    const id = first.find((call) => call.valid && call.id !== undefined)?.id ?? "null";
    return { kind: "fault", reply: `[${errorReply(id, BATCH_TOO_LARGE)}]` };
  }
  return { kind: "batch", calls: value.map((item) => readCall(item, sources)) };
}
