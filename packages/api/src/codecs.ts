/** Owns the scalar codecs of JSON-RPC parameters (specification: Encoding rules): strict, texts as geth's. */
import { type Address, type Hash, HexError, hexToBytes, parseQuantity } from "@cairn/primitives";
import { type Codec, CodecError, WholeCodecError } from "./codec.ts";

function text(value: unknown): string {
  if (typeof value !== "string") throw new CodecError("expected a string");
  return value;
}

function withHexFaults<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof HexError ? new CodecError(error.message) : error;
  }
}

/** A quantity of at most 256 bits: compact hex, `0x0` for zero. */
export const quantity: Codec<bigint> = {
  title: "quantity",
  schema: { type: "string", pattern: "^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$" },
  decode: (value) => withHexFaults(() => parseQuantity(text(value))),
};

/** A quantity of at most 64 bits. */
export const quantity64: Codec<bigint> = {
  title: "quantity (64 bits)",
  schema: { type: "string", pattern: "^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$" },
  decode(value) {
    const n = quantity.decode(value);
    if (n >= 1n << 64n) throw new CodecError("hex number > 64 bits");
    return n;
  },
};

/** No block has so many transactions. */
const BEYOND_ALL = 2 ** 32 - 1;

/** A position in a block: a quantity of at most 64 bits; what is above 32 bits is no position of any block. */
export const index: Codec<number> = {
  title: "index",
  schema: quantity64.schema,
  decode(value) {
    const n = quantity64.decode(value);
    return n > BigInt(BEYOND_ALL) ? BEYOND_ALL : Number(n);
  },
};

/** Unformatted data: `0x` and two digits per byte. */
export const data: Codec<Uint8Array> = {
  title: "data",
  schema: { type: "string", pattern: "^0x([0-9a-fA-F]{2})*$" },
  decode: (value) => withHexFaults(() => hexToBytes(text(value))),
};

/** Unformatted data of at most `most` bytes. */
export function dataUpTo(most: number): Codec<Uint8Array> {
  return {
    title: `data (at most ${most} bytes)`,
    schema: { type: "string", pattern: `^0x([0-9a-fA-F]{2}){0,${most}}$` },
    decode(value) {
      const bytes = data.decode(value);
      if (bytes.length > most) throw new CodecError(`data exceeds ${most} bytes`);
      return bytes;
    },
  };
}

function fixed<T extends Address | Hash>(title: string, bytes: number, what: string): Codec<T> {
  const digits = 2 * bytes;
  const pattern = new RegExp(`^0x[0-9a-fA-F]{${digits}}$`);
  return {
    title,
    schema: { type: "string", pattern: pattern.source },
    decode(value) {
      const hex = text(value);
      if (pattern.test(hex)) return hex.toLowerCase() as T;
      if (!hex.startsWith("0x")) throw new CodecError("hex string without 0x prefix");
      if (hex.length !== digits + 2) {
        throw new CodecError(`hex string has length ${hex.length - 2}, want ${digits} for ${what}`);
      }
      throw new CodecError("invalid hex string");
    },
  };
}

/** 20 bytes; decoded in lower case. */
export const address: Codec<Address> = fixed("address", 20, "an address");

/** 32 bytes; decoded in lower case. */
export const hash: Codec<Hash> = fixed("hash", 32, "a hash");

/** `true` or `false`. */
export const boolean: Codec<boolean> = {
  title: "boolean",
  schema: { type: "boolean" },
  decode(value) {
    if (typeof value !== "boolean") throw new CodecError("expected a boolean");
    return value;
  },
};

/** Any string. */
export const string: Codec<string> = { title: "string", schema: { type: "string" }, decode: text };

/** A filter or subscription id: hex with `0x`. */
export const filterId: Codec<`0x${string}`> = {
  title: "id",
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]+$" },
  decode(value) {
    const id = text(value);
    if (!/^0x[0-9a-fA-F]{1,64}$/.test(id)) throw new CodecError("invalid filter id");
    return id.toLowerCase() as `0x${string}`;
  },
};

/** Any JSON value; its form is the handler's business. */
export const json: Codec<unknown> = { title: "any", schema: {}, decode: (value) => value };

function wholeNumber(value: unknown, fault: (sent: string) => string): bigint {
  const digits = typeof value === "number" ? String(value) : text(value);
  const n = /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,64})$/.test(digits) ? BigInt(digits) : undefined;
  if (n === undefined || n >= 1n << 64n) throw new CodecError(fault(digits));
  return n;
}

/** A count as hex, as decimal text or as a JSON number: at most 64 bits. Its errors never repeat the value. */
export const count: Codec<bigint> = {
  title: "quantity or number",
  schema: {
    anyOf: [
      { type: "string", pattern: "^(0x[0-9a-fA-F]{1,16}|[0-9]{1,20})$" },
      { type: "integer", minimum: 0 },
    ],
  },
  decode: (value) => wholeNumber(value, () => "expected a whole number"),
};

/** A count of blocks: as any count, its errors as geth's. */
export const blockCount: Codec<bigint> = {
  ...count,
  decode: (value) => wholeNumber(value, (sent) => `invalid hex or decimal integer ${shown(sent)}`),
};

/** What was sent, quoted; not all of it when it is long. */
function shown(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

/** A finite JSON number. */
export const number: Codec<number> = {
  title: "number",
  schema: { type: "number" },
  decode(value) {
    if (typeof value !== "number" || !Number.isFinite(value)) throw new CodecError("expected a number");
    return value;
  },
};

/** A storage position: what was sent and the 32-byte key it stands for. */
export interface StorageKey {
  readonly bytes: Uint8Array;
  /** Whether all 32 bytes were spelled out: such a key is echoed so, others as a quantity. */
  readonly full: boolean;
}

/** A storage position: hex with or without `0x`, of any length up to 32 bytes. */
export const storageKey: Codec<StorageKey> = {
  title: "storage position",
  schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{0,64}$" },
  decode(value) {
    const sent = text(value);
    const digits = sent.replace(/^0[xX]/, "");
    if (!/^[0-9a-fA-F]*$/.test(digits)) throw new WholeCodecError(`invalid hex in storage key: ${shown(sent)}`);
    if (digits.length > 64) {
      throw new WholeCodecError(`storage key too long (want at most 32 bytes): ${shown(sent)}`);
    }
    return { bytes: hexToBytes(`0x${digits.padStart(64, "0")}`), full: digits.length === 64 };
  },
};

const MAX_STORAGE_KEYS = 1024;

/** Storage positions for proofs, at most 1024. */
export const storageKeys: Codec<readonly StorageKey[]> = {
  title: "array of storage positions",
  schema: { type: "array", items: storageKey.schema, maxItems: MAX_STORAGE_KEYS },
  decode(value) {
    if (!Array.isArray(value)) throw new CodecError("expected an array");
    if (value.length > MAX_STORAGE_KEYS) {
      const fault = `too many storage keys requested (max ${MAX_STORAGE_KEYS}, got ${value.length})`;
      throw new WholeCodecError(fault);
    }
    return value.map((key) => storageKey.decode(key));
  },
};
