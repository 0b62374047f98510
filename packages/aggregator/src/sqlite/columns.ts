/** Reading typed values out of rows and writing hex as blobs. A value of another type is a corrupt store. */
import { bytesToHex, type Hash, type Hex, hexToBytes } from "@cairn/primitives";
import type { Row } from "./database.ts";

/** A column held something else than this version writes. */
export class CorruptStoreError extends Error {
  override readonly name = "CorruptStoreError";
}

/** An integer column. */
export function integer(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw new CorruptStoreError(`column ${name} is no integer`);
  return value;
}

/** A text column. */
export function text(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw new CorruptStoreError(`column ${name} is no text`);
  return value;
}

/** A blob column. */
export function blob(row: Row, name: string): Uint8Array {
  const value = row[name];
  if (!(value instanceof Uint8Array)) throw new CorruptStoreError(`column ${name} is no blob`);
  return value;
}

/** A blob column as 0x-hex. */
export function hex(row: Row, name: string): Hex {
  return bytesToHex(blob(row, name));
}

/** A column that may be null, read by `read` otherwise. */
export function optional<T>(row: Row, name: string, read: (row: Row, name: string) => T): T | undefined {
  return row[name] === null || row[name] === undefined ? undefined : read(row, name);
}

/** A text column whose values are one of a union's members, as this version wrote them. */
export function oneOf<T extends string>(row: Row, name: string, members: readonly T[]): T {
  const value = text(row, name);
  const member = members.find((candidate) => candidate === value);
  if (member === undefined) throw new CorruptStoreError(`column ${name} has an unknown value`);
  return member;
}

/** 0x-hex as a blob, absent as null. */
export function bytesOrNull(value: Hash | Hex | undefined): Uint8Array | null {
  return value === undefined ? null : hexToBytes(value);
}
