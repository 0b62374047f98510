/** The registry of verification keys: content-addressed, what a proof's `vkHash` refers to (proof-service: REST). */
import type { Hash } from "@cairn/primitives";

/** A key to register. Every point of it was checked. */
export interface NewVerificationKey {
  readonly vkHash: Hash;
  readonly system: string;
  readonly curve: string;
  readonly canonicalKey: Uint8Array;
}

/** A registered key. */
export interface VerificationKey extends NewVerificationKey {
  readonly registeredAtMs: number;
}

/** Durable part of the registry. Keys that come with proofs are registered by them. */
export interface VerificationKeyStore {
  /** Answers false when the key was known, unless the request of this name has registered it (32 bytes). */
  registerKey(key: NewVerificationKey, nowMs: number, request?: Uint8Array): Promise<boolean>;
  verificationKey(vkHash: Hash): Promise<VerificationKey | undefined>;
  /** Canonical bytes of those that are known. */
  canonicalKeys(vkHashes: readonly Hash[]): Promise<ReadonlyMap<Hash, Uint8Array>>;
}
