/**
 * Typed, documented face of the Rust addon. Owns loading it and translating shapes; no logic.
 * `openNative` opens one chain database; `verifyProofs` and `decodeKey` need none.
 */
export { NativeError } from "./error.ts";
export { decodeKey, openNative, verifyProofs } from "./facade.ts";
export type * from "./types.ts";
