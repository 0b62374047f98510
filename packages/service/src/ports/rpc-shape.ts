/** Reading JSON-RPC results of the node: each reader throws `EndpointError` on another shape. */
import { type Hash, type Hex, hexToBytes, isHex, parseQuantity } from "@cairn/primitives";
import { EndpointError } from "./json-rpc-client.ts";

/** A result that is an object. */
export function readObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw new EndpointError(`${what}: no object`);
  return value as Readonly<Record<string, unknown>>;
}

/** A result that is an array. */
export function readArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new EndpointError(`${what}: no array`);
  return value;
}

/** A quantity that fits a number. */
export function readCount(value: unknown, what: string): number {
  const count = Number(readQuantity(value, what));
  if (!Number.isSafeInteger(count)) throw new EndpointError(`${what}: too large`);
  return count;
}

/** A quantity. */
export function readQuantity(value: unknown, what: string): bigint {
  if (typeof value !== "string") throw new EndpointError(`${what}: no quantity`);
  return parseQuantity(value);
}

/** 0x-hex data. */
export function readHex(value: unknown, what: string): Hex {
  if (typeof value !== "string" || !isHex(value)) throw new EndpointError(`${what}: no hex data`);
  return value;
}

/** 32 bytes in 0x-hex. */
export function readHash(value: unknown, what: string): Hash {
  const hex = readHex(value, what);
  if (hex.length !== 66) throw new EndpointError(`${what}: no hash`);
  return hex;
}

/** Bytes in 0x-hex. */
export function readBytes(value: unknown, what: string): Uint8Array {
  return hexToBytes(readHex(value, what));
}
