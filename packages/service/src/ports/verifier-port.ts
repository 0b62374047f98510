/** `VerifierPort` over the native core. */
import type { VerifierPort } from "@cairn/aggregator";
import { verifyProofs } from "@cairn/native";

/** The core's batch verification: a verdict per proof, in order. */
export const nativeVerifier: VerifierPort = { verify: (items) => verifyProofs(items) };
