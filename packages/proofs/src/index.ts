/** Proof, batch, anchor and receipt types, hashing rules and offline verification. Browser-safe. */
export type * from "./types.ts";
