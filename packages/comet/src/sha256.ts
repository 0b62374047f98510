/** The hash function of this package, and how a faster one is passed in. */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";

/** A SHA-256 function. Functions over whole blocks take one, so that a server can pass its platform's. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** SHA-256 in portable JavaScript. */
export const sha256: Sha256 = (bytes) => nobleSha256(bytes);
