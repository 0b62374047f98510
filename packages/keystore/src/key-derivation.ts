/** Owns turning a passphrase into key material: scrypt and PBKDF2 on the thread pool, within bounds. */
import { type BinaryLike, pbkdf2, type ScryptOptions, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { KeystoreError } from "./keystore-error.ts";

/** Parameters as key files hold them. */
export type KeyDerivation =
  | { readonly kdf: "scrypt"; readonly n: number; readonly r: number; readonly p: number; readonly salt: Uint8Array }
  | { readonly kdf: "pbkdf2"; readonly c: number; readonly salt: Uint8Array };

/** Work and memory of scrypt for new files: `n`, `r`, `p`. */
export interface ScryptCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** geth's standard: about a second and 256 MiB. */
export const STANDARD_COST: ScryptCost = { n: 262_144, r: 8, p: 1 };

/** geth's `--lightkdf`: about 100 ms and 4 MiB. */
export const LIGHT_COST: ScryptCost = { n: 4096, r: 8, p: 6 };

const KEY_BYTES = 32;
const MAX_SCRYPT_BYTES = 1024 * 1024 * 1024;
const MAX_SCRYPT_WORK = 2 ** 24;
const MAX_ITERATIONS = 20_000_000;

const runScrypt = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);
const runPbkdf2 = promisify(pbkdf2);

/** Throws `KeystoreError` `invalid-key-file` for parameters without meaning or beyond the bounds. */
export function checkDerivation(d: KeyDerivation): void {
  const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0;
  const fits =
    d.kdf === "pbkdf2"
      ? isPositive(d.c) && d.c <= MAX_ITERATIONS
      : [d.n, d.r, d.p].every(isPositive) &&
        d.n > 1 &&
        Number.isInteger(Math.log2(d.n)) &&
        128 * d.n * d.r <= MAX_SCRYPT_BYTES &&
        128 * d.r * d.p <= MAX_SCRYPT_BYTES &&
        d.n * d.r * d.p <= MAX_SCRYPT_WORK;
  if (!fits || d.salt.length > 1024)
    throw new KeystoreError("invalid-key-file", "unsupported key derivation parameters");
}

/** 32 bytes of key material; the caller wipes them. */
export async function deriveKey(passphrase: string, d: KeyDerivation): Promise<Uint8Array> {
  checkDerivation(d);
  const secret = Buffer.from(passphrase, "utf8");
  try {
    if (d.kdf === "pbkdf2") return await runPbkdf2(secret, d.salt, d.c, KEY_BYTES, "sha256");
    const { n: N, r, p } = d;
    // RFC 7914 wants n < 2^(16 r), and OpenSSL insists; files of other programs, and the definition's own, do not.
    if (Math.log2(N) >= 16 * r) return await scryptAsync(secret, d.salt, { N, r, p, dkLen: KEY_BYTES });
    return await runScrypt(secret, d.salt, KEY_BYTES, { N, r, p, maxmem: 128 * r * (N + p + 2) + 1024 });
  } finally {
    secret.fill(0);
  }
}
