/** `VerifierPort` over the native core, and the checking of keys. */
import type { VerifierPort } from "@cairn/aggregator";
import { decodeKey, type KeyVerdict, type SubmittedKey, verifyProofs } from "@cairn/native";

/** The core's batch verification: a verdict per proof, in order. */
export const nativeVerifier: VerifierPort = { verify: (items) => verifyProofs(items) };

/** Decodes and checks verification keys. */
export interface KeyPort {
  decode(key: SubmittedKey): Promise<KeyVerdict>;
}

/** The core's decoding of keys. */
export const nativeKeys: KeyPort = { decode: decodeKey };
