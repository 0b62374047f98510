/**
 * Protocol Buffers' wire format, as much as the reader's families need: messages by a table of field numbers. Fields that
 * no table names are passed over, as the format asks. Owns no message.
 */
import { bytesToHex, concatBytes } from "@cairn/primitives";
import { undecodable } from "./endpoint-error.ts";
import type { Json } from "./foreign-block.ts";

/** What stands in a field: `texts` is a repeated text. */
export type FieldKind = "uint64" | "text" | "bytes" | "texts" | MessageShape;

/** A message: field numbers, with the member's name and kind. */
export interface MessageShape {
  readonly [field: number]: readonly [name: string, kind: FieldKind];
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const MAX_VARINT_BYTES = 10;

/** A base-128 integer, least significant group first. */
export function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 0x80n) return Uint8Array.from([...bytes, low]);
    bytes.push(low | 0x80);
  }
}

/** A field of bytes, with its number and length. */
export function lengthField(field: number, bytes: Uint8Array): Uint8Array {
  return concatBytes(varint(BigInt((field << 3) | LENGTH)), varint(BigInt(bytes.length)), bytes);
}

/** A field of an integer. */
export function varintField(field: number, value: bigint): Uint8Array {
  return concatBytes(varint(BigInt(field << 3)), varint(value));
}

/** A request's message: members that are not given are left out. Integers are decimal text or JSON numbers. */
export function encodeMessage(shape: MessageShape, value: Readonly<Record<string, Json>>): Uint8Array {
  const parts = Object.entries(shape).map(([field, [name, kind]]) => {
    const member = value[name];
    return member === undefined ? new Uint8Array(0) : encodeField(Number(field), kind, member);
  });
  return concatBytes(...parts);
}

function encodeField(field: number, kind: FieldKind, value: Json): Uint8Array {
  const text = (item: Json) => lengthField(field, new TextEncoder().encode(String(item)));
  if (kind === "uint64") return varintField(field, BigInt(String(value)));
  if (kind === "text") return text(value);
  if (kind === "texts" && Array.isArray(value)) return concatBytes(...value.map(text));
  if (typeof kind !== "object") throw new TypeError("requests hold texts, integers and messages");
  return lengthField(field, encodeMessage(kind, value as Readonly<Record<string, Json>>));
}

/** A message: integers as decimal text, bytes as 0x-hex. Throws `undecodable`. */
export function decodeMessage(shape: MessageShape, bytes: Uint8Array): Readonly<Record<string, Json>> {
  const members: [string, Json][] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const field = Number(tag.value >> 3n);
    const content = readContent(bytes, tag.end, Number(tag.value & 7n));
    at = content.end;
    const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (known !== undefined) members.push([known[0], memberOf(known, content.value)]);
  }
  return Object.fromEntries(members);
}

function memberOf([name, kind]: MessageShape[number], value: bigint | Uint8Array): Json {
  if (kind === "uint64" && typeof value === "bigint") return value.toString();
  if (typeof value !== "bigint") {
    if (kind === "bytes") return bytesToHex(value);
    if (kind === "text") return textOf(value, name);
    if (typeof kind === "object") return decodeMessage(kind, value);
  }
  throw undecodable(`field ${name} of the message is of another type`);
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw undecodable(`field ${name} of the message is no text`);
  }
}

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

function readVarint(bytes: Uint8Array, start: number): Read<bigint> {
  let value = 0n;
  for (let i = 0; i < MAX_VARINT_BYTES; i += 1) {
    const byte = bytes[start + i];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: start + i + 1 };
  }
  throw undecodable("the message ends within a number, or the number does not end");
}

function readContent(bytes: Uint8Array, at: number, wireType: number): Read<bigint | Uint8Array> {
  if (wireType === VARINT) return readVarint(bytes, at);
  const length = wireType === LENGTH ? readVarint(bytes, at) : { value: sizeOf(wireType), end: at };
  const end = length.end + Number(length.value);
  if (end > bytes.length) throw undecodable("a field of the message is longer than the message");
  return { value: bytes.subarray(length.end, end), end };
}

function sizeOf(wireType: number): bigint {
  if (wireType === FIXED64) return 8n;
  if (wireType === FIXED32) return 4n;
  throw undecodable("a field of the message is of no known type");
}
