/** Owns the transaction object of `eth_sendTransaction` and its kin on the wire. What is filled in is the handlers'. */
import { type Address, hexToBytes, isHex } from "@cairn/primitives";
import { type CallParam, callObject } from "./call-object.ts";
import { arrayOf, asObject, type Codec, CodecError, member } from "./codec.ts";
import { address, quantity, quantity64 } from "./codecs.ts";

/** A signed EIP-7702 authorization. */
export interface AuthorizationParam {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly r: bigint;
  readonly s: bigint;
}

/** A decoded transaction object: a call object with its sender. */
export interface TransactionParam extends CallParam {
  readonly from: Address;
  /** Present: a type 4 transaction. */
  readonly authorizationList?: readonly AuthorizationParam[];
}

const MAX_AUTHORIZATIONS = 1024;

function needed<T>(object: Readonly<Record<string, unknown>>, name: string, codec: Codec<T>): T {
  const value = member(object, name, codec);
  if (value === undefined) throw new CodecError(`${name}: missing`);
  return value;
}

const authorization: Codec<AuthorizationParam> = {
  title: "authorization",
  schema: { type: "object" },
  decode(value) {
    const object = asObject(value);
    const yParity = member(object, "yParity", quantity64) ?? needed(object, "v", quantity64);
    if (yParity > 1n) throw new CodecError("yParity: neither 0 nor 1");
    return {
      chainId: needed(object, "chainId", quantity),
      address: needed(object, "address", address),
      nonce: needed(object, "nonce", quantity64),
      yParity: Number(yParity),
      r: needed(object, "r", quantity),
      s: needed(object, "s", quantity),
    };
  },
};

const authorizationList = arrayOf(authorization, MAX_AUTHORIZATIONS);

/** The transaction object: as a call object, `from` is required. */
export const transactionObject: Codec<TransactionParam> = {
  title: "transaction object",
  schema: { ...callObject.schema, required: ["from"] },
  decode(value) {
    const object = asObject(value);
    const from = needed(object, "from", address);
    const list = member(object, "authorizationList", authorizationList);
    return { ...callObject.decode(value), from, ...(list === undefined ? {} : { authorizationList: list }) };
  },
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
