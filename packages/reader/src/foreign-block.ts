/** What the reader keeps of a block of any chain, and how chains spell heights and hashes. */
import { bytesToHex, type Hex } from "@cairn/primitives";
import { base58 } from "@scure/base";
import { EndpointError, undecodable } from "./endpoint-error.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A block of another chain, as far as the reader needs it. */
export interface ForeignBlock {
  readonly height: bigint;
  /** 0x-hex of the hash's bytes: what is submitted. */
  readonly hash: Hex;
  /** As the chain spells it. */
  readonly nativeHash: string;
  /** Undefined where the chain does not tell (its first block, Aptos). */
  readonly parentHash: Hex | undefined;
  /** `height - 1` except where heights are skipped; undefined where the chain does not tell. */
  readonly parentHeight: bigint | undefined;
  /** What was fetched, at most 64 KiB as JSON text. */
  readonly evidence: Json;
}

/** Largest evidence the service takes, as JSON text. */
export const MAX_EVIDENCE_BYTES = 64 * 1024;

/** How a chain writes hashes: `felt` is a field element without leading zeros. */
export const HASH_SPELLINGS = ["hex", "base58", "base64", "felt"] as const;
/** One of them. */
export type HashSpelling = (typeof HASH_SPELLINGS)[number];

const HEX = /^(0x)?(([0-9a-fA-F]{2}){1,64})$/;
const FELT = /^0x[0-9a-fA-F]{1,64}$/;
/** Of either alphabet: some gateways write hashes into URLs. */
const BASE64 = /^[A-Za-z0-9+/_-]{2,86}={0,2}$/;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{1,88}$/;

/** A hash as 0x-hex of its bytes, 1 to 64 of them. Throws `undecodable`; `what` opens the message. */
export function readHash(value: unknown, spelling: HashSpelling, what: string): Hex {
  const text = typeof value === "string" ? value : "";
  if (spelling === "felt" && FELT.test(text)) return `0x${text.slice(2).toLowerCase().padStart(64, "0")}`;
  if (spelling === "base58" && BASE58.test(text)) return fromBytes(base58.decode(text), what);
  if (spelling === "base64" && BASE64.test(text)) return fromBytes(Buffer.from(text, "base64"), what);
  const hex = spelling === "hex" ? HEX.exec(text)?.[2] : undefined;
  if (hex === undefined) throw undecodable(`${what} is not a hash as this chain writes them`);
  return `0x${hex.toLowerCase()}`;
}

function fromBytes(bytes: Uint8Array, what: string): Hex {
  if (bytes.length < 1 || bytes.length > 64) throw undecodable(`${what} has ${bytes.length} bytes`);
  return bytesToHex(bytes);
}

/** A height: a JSON number, decimal text or 0x-hex text below 2^53. Throws `undecodable`. */
export function readHeight(value: unknown, what: string): bigint {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !/^(\d{1,16}|0x[0-9a-fA-F]{1,14})$/.test(text)) {
    throw undecodable(`${what} is not a height`);
  }
  const height = BigInt(text);
  if (height > BigInt(Number.MAX_SAFE_INTEGER)) throw undecodable(`${what} is beyond 2^53`);
  return height;
}

/** A node that does not have what it should: to be asked again, or another one. */
export function missing(message: string): EndpointError {
  return new EndpointError("missing", message);
}

/** Evidence, or a note in its place when it is larger than the service takes. */
export function boundedEvidence(evidence: Json): Json {
  const bytes = Buffer.byteLength(JSON.stringify(evidence));
  return bytes <= MAX_EVIDENCE_BYTES ? evidence : { omitted: `${bytes} bytes are more than ${MAX_EVIDENCE_BYTES}` };
}

/** The lower of two heights. */
export function lower(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
