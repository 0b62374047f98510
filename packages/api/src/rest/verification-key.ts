/** Body and resource of the verification-key routes. */
import { z } from "zod";

/** Largest canonical key that is registered, in bytes: some 4,000 public inputs on BN254, 2,000 on BLS12-381. */
export const MAX_CANONICAL_KEY_BYTES = 256 * 1024;

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Body of `POST /v1/verification-keys`: the parts of an envelope that a key has. */
export const verificationKeyBodySchema = z.object({
  system: z.string().min(1).max(64).describe("Proof system: `groth16`."),
  curve: z
    .string()
    .min(1)
    .max(64)
    .describe("`bn254` or `bls12-381`; absent: the curve a snarkjs key names, else `bn254`.")
    .optional(),
  encoding: z.string().min(1).max(64).describe("`snarkjs-json`, `gnark-binary`, `gnark-json` or `arkworks-binary`."),
  vk: z
    .union([z.string(), z.record(z.string(), z.json())])
    .describe("The key: an object for JSON encodings, 0x-hex or base64 for binary ones."),
});

/** A body as decoded. */
export type VerificationKeyBody = z.infer<typeof verificationKeyBodySchema>;

/** A registered key. */
export const verificationKeySchema = z.object({
  vk_hash: hash.describe("Identity of the key; `vkHash` of an envelope refers to it."),
  system: z.string(),
  curve: z.string(),
  public_inputs: z.number().int().describe("How many public inputs a proof has."),
  commitments: z.number().int().describe("How many Pedersen commitments a proof has (gnark)."),
  canonical_key: z.string().describe("Canonical key bytes, 0x-hex; `vk_hash` is their hash."),
  registered_at: z.string().describe("RFC 3339."),
});

/** A registered key as answered. */
export type VerificationKeyResource = z.infer<typeof verificationKeySchema>;
