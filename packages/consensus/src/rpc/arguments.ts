/**
 * Arguments of a route, from JSON parameters or from a URI, with CometBFT's conversions and error texts (reference:
 * `rpc/jsonrpc/server` of v0.38).
 */
import { GoJsonError, parseGoJson, type RawJson } from "./go-json.ts";

/** `int64` and `int` are absent when not given; `bytes` and `string` then are empty and `bool` false. */
export type ArgumentType = "int64" | "int" | "bool" | "bytes" | "hex" | "string";

/** Name and type of one argument. */
export interface ArgumentSpec {
  readonly name: string;
  readonly type: ArgumentType;
}

/** One decoded argument. */
export type ArgumentValue = bigint | boolean | string | Uint8Array | undefined;

/** Thrown with CometBFT's text when an argument does not convert. */
export class ArgumentError extends Error {}

const INTEGER = /^-?[0-9]+$/;
const DECIMAL = /^-?(?:0|[1-9][0-9]*)$/;
const BASE64_INVALID = /[^A-Za-z0-9+/=]/;
const INT64_MAX = (1n << 63n) - 1n;

/** Go's `%q` of ASCII text, as far as it occurs here. */
function quote(text: string): string {
  return JSON.stringify(text);
}

function cannotUnmarshal(value: RawJson, type: string): ArgumentError {
  const what = value.kind === "number" && /int/.test(type) && type !== "[]uint8" ? `number ${value.text}` : value.kind;
  return new ArgumentError(`json: cannot unmarshal ${what} into Go value of type ${type}`);
}

function parsed(text: string): RawJson {
  try {
    return parseGoJson(text);
  } catch (error) {
    throw new ArgumentError(error instanceof GoJsonError ? error.message : "invalid JSON");
  }
}

/** 64-bit integers are JSON strings that hold a JSON number. */
function toInteger(value: RawJson, source: string, type: "int64" | "int"): bigint {
  if (value.kind !== "string") {
    throw new ArgumentError(`invalid 64-bit integer encoding ${quote(source)}, expected string`);
  }
  const inner = parsed(value.value);
  if (inner.kind === "null") return 0n;
  const integer = inner.kind === "number" && DECIMAL.test(inner.text) ? BigInt(inner.text) : undefined;
  if (integer === undefined || integer > INT64_MAX || integer < -INT64_MAX - 1n) throw cannotUnmarshal(inner, type);
  return integer;
}

function fromBase64(text: string): Uint8Array {
  const at = text.search(BASE64_INVALID);
  const corrupt = at >= 0 ? at : text.length % 4 === 0 ? -1 : text.length - (text.length % 4);
  if (corrupt >= 0) throw new ArgumentError(`illegal base64 data at input byte ${corrupt}`);
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Bytes of hex text. Throws {@link ArgumentError} with Go's text. */
export function fromHex(text: string): Uint8Array {
  const at = text.search(/[^0-9a-fA-F]/);
  if (at >= 0) {
    const character = text[at] ?? "";
    const point = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    throw new ArgumentError(`encoding/hex: invalid byte: U+${point} '${character}'`);
  }
  if (text.length % 2 === 1) throw new ArgumentError("encoding/hex: odd length hex string");
  return new Uint8Array(Buffer.from(text, "hex"));
}

function toBytes(value: RawJson): Uint8Array {
  if (value.kind === "string") return fromBase64(value.value);
  if (value.kind !== "array") throw cannotUnmarshal(value, "[]uint8");
  const bytes = value.items.map((item) => {
    const byte = item.kind === "number" && DECIMAL.test(item.text) ? Number(item.text) : -1;
    if (byte < 0 || byte > 255) throw cannotUnmarshal(item, "uint8");
    return byte;
  });
  return Uint8Array.from(bytes);
}

function convert(spec: ArgumentSpec, value: RawJson, source: string): ArgumentValue {
  if (value.kind === "null") return absent(spec);
  switch (spec.type) {
    case "int64":
    case "int":
      return toInteger(value, source, spec.type);
    case "bytes":
      return toBytes(value);
    case "hex":
      if (value.kind !== "string") throw new ArgumentError(`invalid hex string: ${source}`);
      return fromHex(value.value);
    case "bool":
      if (value.kind !== "bool") throw cannotUnmarshal(value, "bool");
      return value.text === "true";
    case "string":
      if (value.kind !== "string") throw cannotUnmarshal(value, "string");
      return value.value;
  }
}

function absent(spec: ArgumentSpec): ArgumentValue {
  if (spec.type === "bool") return false;
  if (spec.type === "string") return "";
  return spec.type === "bytes" || spec.type === "hex" ? new Uint8Array(0) : undefined;
}

/** Go's `%v` of raw JSON texts: their bytes in decimal. */
function printRaw(items: readonly RawJson[]): string {
  return `[${items.map((item) => `[${Buffer.from(item.text).join(" ")}]`).join(" ")}]`;
}

/** Arguments from the `params` member. Throws {@link ArgumentError}. */
export function argumentsFromJson(specs: readonly ArgumentSpec[], params: RawJson): readonly ArgumentValue[] {
  if (params.kind === "null") return specs.map(absent);
  if (params.kind === "object") {
    return specs.map((spec) => {
      const value = params.members.findLast(([name]) => name === spec.name)?.[1];
      return value === undefined ? absent(spec) : convert(spec, value, value.text);
    });
  }
  if (params.kind !== "array") {
    const reason = `json: cannot unmarshal ${params.kind} into Go value of type []json.RawMessage`;
    throw new ArgumentError(`unknown type for JSON params: ${reason}. Expected map or array`);
  }
  const { items } = params;
  if (items.length !== specs.length) {
    const names = `[${specs.map((spec) => spec.name).join(" ")}]`;
    throw new ArgumentError(
      `expected ${specs.length} parameters (${names}), got ${items.length} (${items.length === 0 ? "[]" : printRaw(items)})`,
    );
  }
  return specs.map((spec, i) => {
    const value = items[i];
    return value === undefined ? absent(spec) : convert(spec, value, value.text);
  });
}

/** Text that CometBFT refuses for its missing quotes, and that is no other JSON. */
const BARE_TEXT = /^(?!(?:true|false|null)$)[A-Za-z_]/;

/**
 * One argument of a URI: unquoted integers, `0x` hex and quoted raw text are taken too. Text without its quotes, as in
 * the specification's samples, is taken where CometBFT answers an error.
 */
function fromUri(spec: ArgumentSpec, text: string): ArgumentValue {
  const isInteger = spec.type === "int64" || spec.type === "int";
  const isBytes = spec.type === "bytes" || spec.type === "hex";
  if (isInteger && INTEGER.test(text)) return convert(spec, parsed(`"${text}"`), text);
  if (spec.type === "string" && BARE_TEXT.test(text)) return text;
  if (/^0x/i.test(text)) {
    if (spec.type === "string") return new TextDecoder().decode(fromHex(text.slice(2)));
    if (!isBytes) throw new ArgumentError(`got a hex string arg, but expected '${spec.type}'`);
    return fromHex(text.slice(2));
  }
  const value = parsedForUri(spec, text);
  if (isBytes && value.kind === "string") return new Uint8Array(Buffer.from(value.value));
  return convert(spec, value, text);
}

/** Integers and hex that are not JSON at all are reported by their encoding, as everything else that is no string. */
function parsedForUri(spec: ArgumentSpec, text: string): RawJson {
  const isTextual = spec.type === "int64" || spec.type === "int" || spec.type === "hex";
  if (isTextual && text !== "null" && !(text.startsWith('"') && text.endsWith('"'))) return { kind: "number", text };
  return parsed(text);
}

/** Arguments from a URI's query and form. Throws {@link ArgumentError}. */
export function argumentsFromUri(specs: readonly ArgumentSpec[], query: URLSearchParams): readonly ArgumentValue[] {
  return specs.map((spec) => {
    const text = query.get(spec.name) ?? "";
    return text === "" ? absent(spec) : fromUri(spec, text);
  });
}
