/** Owns the transaction object of `eth_sendTransaction` and its kin on the wire. What is filled in is the handlers'. */
import { type Address, hexToBytes, isHex, ZERO_ADDRESS } from "@cairn/primitives";
import { type CallParam, callObject } from "./call-object.ts";
import { asObject, type Codec, CodecError } from "./codec.ts";
import { quantity } from "./codecs.ts";

/** A decoded transaction object: a call object with its sender. */
export interface TransactionParam extends CallParam {
  readonly from: Address;
  /** Both spellings of its data were given, and differ. */
  readonly ambiguousData?: true;
}

/** What calls take silently is refused where something is signed: `data` beside another `input`. */
function ambiguity(value: unknown): Pick<TransactionParam, "ambiguousData"> {
  const { data: old, input } = asObject(value);
  if (typeof old !== "string" || typeof input !== "string") return {};
  return old.toLowerCase() === input.toLowerCase() ? {} : { ambiguousData: true };
}

/** The transaction object: as a call object, `from` is required. */
export const transactionObject: Codec<TransactionParam> = {
  title: "transaction object",
  schema: { ...callObject.schema, required: ["from"] },
  decode(value) {
    const { from, ...call } = callObject.decode(value);
    if (from === undefined) throw new CodecError("from: missing");
    return { ...call, from, ...ambiguity(value) };
  },
};

/** The transaction object where nobody signs yet: `from` defaults to the zero address, as in geth. */
export const transactionDraft: Codec<TransactionParam> = {
  title: "transaction object",
  schema: callObject.schema,
  decode: (value) => ({ from: ZERO_ADDRESS, ...callObject.decode(value), ...ambiguity(value) }),
};

/** A 32-byte private key as hex, with or without `0x`. Its errors never repeat the value. */
export const privateKey: Codec<Uint8Array> = {
  title: "private key",
  schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{64}$" },
  decode(value) {
    if (typeof value !== "string") throw new CodecError("expected a string");
    const hex = value.startsWith("0x") ? value : `0x${value}`;
    if (!isHex(hex)) throw new CodecError("invalid hex data for private key");
    if (hex.length !== 66) throw new CodecError("invalid length, need 256 bits");
    return hexToBytes(hex);
  },
};

/** Typed structured data (EIP-712) as an object, or as the JSON text of one. */
export const typedData: Codec<unknown> = {
  title: "typed data",
  schema: { anyOf: [{ type: "object", required: ["types", "primaryType", "domain", "message"] }, { type: "string" }] },
  decode(value) {
    if (typeof value !== "string") return asObject(value);
    try {
      return asObject(JSON.parse(value));
    } catch {
      throw new CodecError("no JSON text of an object");
    }
  },
};

/** A price in wei per gas that app.toml can hold: at most 38 decimal digits. */
export const gasPrice: Codec<bigint> = {
  title: "quantity (wei)",
  schema: quantity.schema,
  decode(value) {
    const wei = quantity.decode(value);
    if (wei >= 10n ** 38n) throw new CodecError("more than 38 decimal digits");
    return wei;
  },
};
