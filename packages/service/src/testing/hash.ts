/** SHA-256 of a text as 0x-hex, for made-up ids. */
import { createHash } from "node:crypto";
import { bytesToHex, type Hash } from "@cairn/primitives";

/** SHA-256 of a text, as a hash. */
export function hashOf(text: string): Hash {
  return bytesToHex(createHash("sha256").update(text).digest());
}
