/** Readers of RPC parameters with Bitcoin Core's errors (-3 wrong type, -8 wrong value, -22 undecodable). */
import {
  BitcoinFormatError,
  type BitcoinTransaction,
  decodeHex,
  parseBlock,
  parseDisplayHash,
  parseTransaction,
} from "@cairn/bitcoin";
import { FAULT, RegtestFault } from "./fault.ts";

/** Parameters by position; absent ones are undefined. */
export type Params = readonly unknown[];

/** A 64-digit hash in display order, as internal bytes. */
export function hashParam(params: Params, index: number, name: string): Uint8Array {
  const text = textParam(params, index, name);
  if (text.length !== 64) {
    throw new RegtestFault(
      FAULT.invalidParameter,
      `${name} must be of length 64 (not ${text.length}, for '${text.slice(0, 80)}')`,
    );
  }
  if (!/^[0-9a-fA-F]*$/.test(text)) {
    throw new RegtestFault(FAULT.invalidParameter, `${name} must be hexadecimal string (not '${text}')`);
  }
  return parseDisplayHash(text.toLowerCase());
}

/** A required string. */
export function textParam(params: Params, index: number, name: string): string {
  const value = params[index];
  if (typeof value !== "string") throw wrongType(index, name, "string", value);
  return value;
}

/** An integer, with a default when absent. */
export function intParam(params: Params, index: number, name: string, fallback?: number): number {
  const value = params[index] ?? fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw wrongType(index, name, "number", value);
  return value;
}

/** A boolean, with a default when absent. */
export function boolParam(params: Params, index: number, name: string, fallback: boolean): boolean {
  const value = params[index] ?? fallback;
  if (typeof value !== "boolean") throw wrongType(index, name, "bool", value);
  return value;
}

/** A verbosity: a number, or a boolean for 0 and 1. */
export function verbosityParam(params: Params, index: number, fallback: number): number {
  const value = params[index];
  return typeof value === "boolean" ? Number(value) : intParam(params, index, "verbosity", fallback);
}

/** An array. */
export function arrayParam(params: Params, index: number, name: string): readonly unknown[] {
  const value = params[index];
  if (!Array.isArray(value)) throw wrongType(index, name, "array", value);
  return value;
}

/** A transaction in hex. */
export function transactionParam(params: Params, index: number): BitcoinTransaction {
  return decoded("TX decode failed. Make sure the tx has at least one input.", () =>
    parseTransaction(decodeHex(textParam(params, index, "hexstring").toLowerCase())),
  );
}

/** A block in hex. */
export function blockParam(params: Params, index: number): ReturnType<typeof parseBlock> {
  return decoded("Block decode failed", () => parseBlock(decodeHex(textParam(params, index, "hexdata").toLowerCase())));
}

function decoded<T>(message: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BitcoinFormatError) throw new RegtestFault(FAULT.deserialization, message);
    throw error;
  }
}

function wrongType(index: number, name: string, expected: string, value: unknown): RegtestFault {
  const got = value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : typeof value;
  const position = `Position ${index + 1} (${name})`;
  return new RegtestFault(
    FAULT.type,
    `Wrong type passed:\n{\n    "${position}": "JSON value of type ${got} is not of expected type ${expected}"\n}`,
  );
}
