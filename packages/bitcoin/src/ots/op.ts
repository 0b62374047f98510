/** OpenTimestamps operations: what they do to a message, and their bytes. */
import { ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "../byte-writer.ts";
import { BitcoinFormatError } from "../format-error.ts";
import { encodeHex } from "../hex.ts";

/** An operation with an argument, or one of the unary ones. */
export type Op =
  | { readonly kind: "append" | "prepend"; readonly arg: Uint8Array }
  | { readonly kind: "reverse" | "hexlify" | "sha1" | "ripemd160" | "sha256" | "keccak256" };

/** Longest message, argument and result, in bytes. */
export const MAX_MESSAGE_BYTES = 4096;

const TAGS = {
  append: 0xf0,
  prepend: 0xf1,
  reverse: 0xf2,
  hexlify: 0xf3,
  sha1: 0x02,
  ripemd160: 0x03,
  sha256: 0x08,
  keccak256: 0x67,
} as const;

/** The operation's tag byte. */
export function opTag(op: Op): number {
  return TAGS[op.kind];
}

/** The operation of a tag byte; `readArg` reads the argument of append and prepend. Throws `unknown-operation`. */
export function opFromTag(tag: number, readArg: () => Uint8Array): Op {
  const kind = kindOf(tag);
  if (kind === "append" || kind === "prepend") return { kind, arg: readArg() };
  return { kind };
}

/** Applies one operation. Throws `too-large` when message or result exceed 4,096 bytes. */
export function applyOp(op: Op, message: Uint8Array): Uint8Array {
  const result = compute(op, bounded(message));
  return bounded(result);
}

function compute(op: Op, message: Uint8Array): Uint8Array {
  switch (op.kind) {
    case "append":
      return concatBytes(message, op.arg);
    case "prepend":
      return concatBytes(op.arg, message);
    case "reverse":
      return Uint8Array.from(message).reverse();
    case "hexlify":
      return new TextEncoder().encode(encodeHex(message));
    case "sha1":
      return sha1(message);
    case "ripemd160":
      return ripemd160(message);
    case "sha256":
      return sha256(message);
    case "keccak256":
      return keccak_256(message);
  }
}

function bounded(message: Uint8Array): Uint8Array {
  if (message.length > MAX_MESSAGE_BYTES) throw new BitcoinFormatError("too-large", "a message above 4,096 bytes");
  return message;
}

function kindOf(tag: number): Op["kind"] {
  switch (tag) {
    case 0xf0:
      return "append";
    case 0xf1:
      return "prepend";
    case 0xf2:
      return "reverse";
    case 0xf3:
      return "hexlify";
    case 0x02:
      return "sha1";
    case 0x03:
      return "ripemd160";
    case 0x08:
      return "sha256";
    case 0x67:
      return "keccak256";
    default:
      throw new BitcoinFormatError("unknown-operation", `operation 0x${tag.toString(16)}`);
  }
}
