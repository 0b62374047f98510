/**
 * Kept answers at rest: encrypted (AES-256-GCM) under the `Idempotency-Key` they belong to, of which only a hash is kept.
 * What an answer shows once, a file of answers does not show at all.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The sealed form of a body: nonce, tag, ciphertext. */
export function sealBody(key: string, body: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealKey(key), nonce);
  const text = Buffer.concat([cipher.update(body, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** The body; throws when it was sealed under another key or changed. */
export function openBody(key: string, sealed: Uint8Array): string {
  const decipher = createDecipheriv(ALGORITHM, sealKey(key), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

/** Another hash than the one that finds the answer. */
function sealKey(key: string): Buffer {
  return createHash("sha256").update(`cairn/kept-answer\n${key}`).digest();
}
