/**
 * Typed, documented face of the Rust addon. Owns loading it and translating shapes; no logic.
 * `openNative` opens one chain database; `verifyProofs` and `decodeKey` need none.
 */

export type * from "./boundary/admission.ts";
export type * from "./boundary/block.ts";
export type * from "./boundary/call.ts";
export type * from "./boundary/explore.ts";
export type * from "./boundary/log-query.ts";
export type * from "./boundary/message.ts";
export type * from "./boundary/native.ts";
export type * from "./boundary/proof.ts";
export type * from "./boundary/simulation.ts";
export type * from "./boundary/trace.ts";
export { NativeError } from "./error.ts";
export { decodeKey, openNative, verifyProofs } from "./facade.ts";
