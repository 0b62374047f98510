/** CometBFT's JSON-RPC envelope: requests in, reply texts out. */
import { escapeHtml } from "../events/published.ts";
import { GoJsonError, parseGoJson, type RawJson } from "./go-json.ts";

/** A reply, before its text. `id` is JSON text; undefined leaves the member out. */
export type Reply =
  | { readonly id?: string; readonly result: string }
  | {
      readonly id?: string;
      readonly error: { readonly code: number; readonly message: string; readonly data?: string };
    };

/** A request. Without `id` it is a notification, which is not executed; without `params` the member was absent. */
export interface RpcRequest {
  readonly id?: string;
  readonly method: string;
  readonly params?: RawJson;
}

/** Thrown for a body that holds no request; `data` is the text for the reply. */
export class EnvelopeError extends Error {}

const STRUCT = [
  'struct { JSONRPC string "json:\\"jsonrpc\\""',
  'ID interface {} "json:\\"id,omitempty\\""',
  'Method string "json:\\"method\\""',
  'Params json.RawMessage "json:\\"params\\"" }',
].join("; ");

/** Errors by kind; `data` is added by the caller. */
export const RPC_ERRORS = {
  parse: { code: -32700, message: "Parse error. Invalid JSON" },
  invalidRequest: { code: -32600, message: "Invalid Request" },
  methodNotFound: { code: -32601, message: "Method not found" },
  invalidParams: { code: -32602, message: "Invalid params" },
  internal: { code: -32603, message: "Internal error" },
  server: { code: -32000, message: "Server error" },
} as const;

/** Text of a reply, with Go's HTML-safe escapes. */
export function replyToText(reply: Reply): string {
  const id = reply.id === undefined ? "" : `,"id":${reply.id}`;
  const body = "result" in reply ? `"result":${reply.result}` : `"error":${JSON.stringify(reply.error)}`;
  return escapeHtml(`{"jsonrpc":"2.0"${id},${body}}`);
}

/** Go prints an id it does not know with `%v`. */
function printed(value: RawJson): string {
  if (value.kind === "array") return `[${value.items.map(printed).join(" ")}]`;
  if (value.kind === "object") return `map[${value.members.map(([key, item]) => `${key}:${printed(item)}`).join(" ")}]`;
  return value.kind === "string" ? value.value : value.text;
}

/** A number as Go cuts it to an integer: what a 64-bit one cannot hold becomes the least of them. */
function integerOf(text: string): string {
  const number = Math.trunc(Number(text));
  if (!Number.isFinite(number)) {
    throw new EnvelopeError(`json: cannot unmarshal number ${text} into Go struct field .id of type float64`);
  }
  return String(Math.abs(number) < 2 ** 63 ? BigInt(number) : -(1n << 63n));
}

/** Ids are strings or numbers, cut to integers; null is none. */
function idOf(value: RawJson | undefined): string | undefined {
  if (value === undefined || value.kind === "null") return undefined;
  if (value.kind === "string") return JSON.stringify(value.value);
  if (value.kind === "number") return integerOf(value.text);
  const types = { array: "[]interface {}", object: "map[string]interface {}", bool: "bool" } as const;
  throw new EnvelopeError(`json-rpc ID (${printed(value)}) is of unknown type (${types[value.kind]})`);
}

function textMember(value: RawJson | undefined, name: string): string {
  if (value === undefined || value.kind === "null") return "";
  if (value.kind === "string") return value.value;
  throw new EnvelopeError(`json: cannot unmarshal ${value.kind} into Go struct field .${name} of type string`);
}

function toRequest(value: RawJson): RpcRequest {
  if (value.kind === "null") return { method: "" };
  if (value.kind !== "object")
    throw new EnvelopeError(`json: cannot unmarshal ${value.kind} into Go value of type ${STRUCT}`);
  const member = (name: string): RawJson | undefined =>
    value.members.findLast(([key]) => key.toLowerCase() === name)?.[1];
  textMember(member("jsonrpc"), "jsonrpc");
  const method = textMember(member("method"), "method");
  const id = idOf(member("id"));
  const params = member("params");
  return { method, ...(id === undefined ? {} : { id }), ...(params === undefined ? {} : { params }) };
}

/** A list of requests; Go reports a bad member as if the whole list had been read as one request. */
function toRequests(list: RawJson & { readonly kind: "array" }): readonly RpcRequest[] {
  try {
    return list.items.map(toRequest);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    throw new EnvelopeError(`json: cannot unmarshal array into Go value of type ${STRUCT}`);
  }
}

/** Requests of a POST body. Throws {@link EnvelopeError}. */
export function parseRequests(body: string): readonly RpcRequest[] {
  try {
    const value = parseGoJson(body);
    return value.kind === "array" ? toRequests(value) : [toRequest(value)];
  } catch (error) {
    if (error instanceof GoJsonError) throw new EnvelopeError(error.message);
    throw error;
  }
}

/** The request of a WebSocket frame, where CometBFT decodes a stream. Throws {@link EnvelopeError}. */
export function parseFrame(text: string): RpcRequest {
  try {
    return toRequest(parseGoJson(text));
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    const atEnd = text.trim() === "" ? "EOF" : "unexpected EOF";
    throw new EnvelopeError(error.message === "unexpected end of JSON input" ? atEnd : error.message);
  }
}
