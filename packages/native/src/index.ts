/**
 * Typed, documented face of the Rust addon. Owns loading it and translating shapes; no logic.
 * `openNative` opens one chain database; `verifyProofs` needs none.
 */
export type * from "./types.ts";
