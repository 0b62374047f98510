/**
 * Strict protobuf reading: only what {@link ./proto-write.ts} can have written is accepted. Unknown or unordered
 * fields, wrong wire types, non-minimal varints and explicit zero scalars are refused, so that decoding and encoding
 * again gives the same bytes.
 */
import { EMPTY } from "./bytes.ts";
import { CometError } from "./error.ts";

/** `message` = length-delimited and always present; `bytes` = left out when empty; `many` = repeated bytes. */
export type FieldKind = "int" | "fixed64" | "bytes" | "message" | "optional-message" | "many";

/** Field number to kind. */
export type Shape = Readonly<Record<number, FieldKind>>;

/** The fields of one message; accessors answer the default for what was left out. */
export interface ProtoMessage {
  /** Signed value of an integer field. */
  int(field: number): bigint;
  bytes(field: number): Uint8Array;
  optional(field: number): Uint8Array | undefined;
  many(field: number): readonly Uint8Array[];
}

const WIRE_OF: Readonly<Record<FieldKind, number>> = {
  int: 0,
  fixed64: 1,
  bytes: 2,
  message: 2,
  "optional-message": 2,
  many: 2,
};

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function bad(detail: string): CometError {
  return new CometError("invalid-encoding", `protobuf: ${detail}`);
}

function readVarint(cursor: Cursor): bigint {
  let low = 0;
  let scale = 1;
  let high = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw bad("truncated varint");
    if (i < 7) {
      low += (byte & 127) * scale;
      scale *= 128;
    } else high |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte >= 128) continue;
    if ((byte === 0 && i > 0) || (i === 9 && byte > 1)) throw bad("non-minimal varint");
    return BigInt(low) | high;
  }
  throw bad("varint too long");
}

function readFixed64(cursor: Cursor): bigint {
  const { bytes, at } = cursor;
  if (at + 8 > bytes.length) throw bad("truncated fixed64");
  cursor.at += 8;
  return new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0, true);
}

function readBytes(cursor: Cursor): Uint8Array {
  const end = Number(readVarint(cursor)) + cursor.at;
  if (end > cursor.bytes.length) throw bad("truncated bytes");
  const slice = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return slice;
}

/** Parses one message of the given shape. Throws CometError `invalid-encoding`. */
export function readMessage(bytes: Uint8Array, shape: Shape): ProtoMessage {
  const ints = new Map<number, bigint>();
  const blobs = new Map<number, Uint8Array[]>();
  const cursor: Cursor = { bytes, at: 0 };
  let last = 0;
  while (cursor.at < bytes.length) {
    const tag = Number(readVarint(cursor));
    const field = Math.floor(tag / 8);
    const kind = shape[field];
    if (kind === undefined || WIRE_OF[kind] !== tag % 8) throw bad(`unexpected field ${field}`);
    if (field < last || (field === last && kind !== "many")) throw bad(`field ${field} out of order`);
    last = field;
    if (kind === "int" || kind === "fixed64") {
      const value = kind === "int" ? readVarint(cursor) : readFixed64(cursor);
      if (value === 0n) throw bad(`explicit zero in field ${field}`);
      ints.set(field, BigInt.asIntN(64, value));
      continue;
    }
    const blob = readBytes(cursor);
    if (kind === "bytes" && blob.length === 0) throw bad(`explicit empty field ${field}`);
    const known = blobs.get(field);
    if (known === undefined) blobs.set(field, [blob]);
    else known.push(blob);
  }
  for (const [field, kind] of Object.entries(shape)) {
    if (kind === "message" && !blobs.has(Number(field))) throw bad(`field ${field} missing`);
  }
  return {
    int: (field) => ints.get(field) ?? 0n,
    bytes: (field) => blobs.get(field)?.[0] ?? EMPTY,
    optional: (field) => blobs.get(field)?.[0],
    many: (field) => blobs.get(field) ?? [],
  };
}

/** Strict UTF-8. Throws CometError `invalid-encoding`. */
export function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw bad("invalid UTF-8");
  }
}

/** A non-negative int32 or uint32 as number. Throws CometError `invalid-encoding`. */
export function readSmall(value: bigint, max: number): number {
  if (value < 0n || value > BigInt(max)) throw bad("integer out of range");
  return Number(value);
}
