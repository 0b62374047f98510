/** Proofs and verification keys as they are submitted, and what verification found of them. */
import type { Hash } from "@cairn/primitives";

/** What `verify` found of one submission's `proof_data`. Codes as in docs/reference/errors. */
export type ProofVerdict =
  | {
      readonly ok: true;
      readonly kind: "proof" | "commitment";
      readonly system: string;
      readonly curve: string;
      readonly encoding: string;
      readonly version: string;
      readonly vkHash: Hash;
      readonly publicInputsHash: Hash;
      /** SHA-256 of `canonicalProof`. */
      readonly proofHash: Hash;
      readonly canonicalProof: Uint8Array;
      readonly canonicalKey: Uint8Array;
      /** As the slot of `VerifyProofs` carries them: each as 32 bytes big-endian. */
      readonly publicInputs: Uint8Array;
    }
  | {
      readonly ok: false;
      readonly code: ProofErrorCode;
      readonly detail: string;
      /** With `unknown-vk`: the hash of the key that is wanted. */
      readonly vkHash?: Hash;
    };

/** What an integration says of artifacts that come without an envelope. */
export interface ProofProfile {
  readonly system: string;
  /** Absent: the one the artifact names, else BN254. */
  readonly curve?: string;
  readonly encoding: string;
  /** Informative: Groth16 has no versions. */
  readonly version?: string;
  /** Key of proofs that bring none. */
  readonly vkHash?: Hash;
}

/** A `proof_data` text, or one with its integration's profile or with the key that it names by hash. */
export type ProofItem =
  | string
  | {
      readonly proofData: string;
      readonly profile?: ProofProfile | undefined;
      /** Canonical bytes of the key whose hash the proof names. */
      readonly key?: Uint8Array | undefined;
    };

/** A verification key as it was submitted: `vk` is JSON of the encoding. */
export interface SubmittedKey {
  readonly system: string;
  readonly curve?: string | undefined;
  readonly encoding: string;
  readonly vk: unknown;
}

/** What `decodeKey` found of a key. */
export type KeyVerdict =
  | {
      readonly ok: true;
      readonly system: string;
      readonly curve: string;
      readonly vkHash: Hash;
      readonly canonicalKey: Uint8Array;
      /** Public inputs of a proof. */
      readonly publicInputs: number;
      /** Pedersen commitments of a proof. */
      readonly commitments: number;
    }
  | { readonly ok: false; readonly code: ProofErrorCode; readonly detail: string };

/** Why a proof or key is rejected; docs/reference/rest.md says what each means. */
export type ProofErrorCode =
  | "malformed"
  | "unrecognised-format"
  | "unsupported-system"
  | "unsupported-encoding"
  | "unsupported-version"
  | "unknown-vk"
  | "wrong-input-count"
  | "input-out-of-field"
  | "not-on-curve"
  | "not-in-subgroup"
  | "invalid-proof";
