/**
 * The sandbox's bearer token, in the form of every service key: `cairn_sbx_<id>_<secret>`, the secret 24 random bytes
 * in hex followed by the first 4 bytes of SHA-256 over all before it, so that a mistyped key is told from a wrong one.
 */
import { createHash, randomBytes } from "node:crypto";

/** A new token. */
export function createSandboxToken(): string {
  const body = `cairn_sbx_${randomBytes(6).toString("hex")}_${randomBytes(24).toString("hex")}`;
  return body + createHash("sha256").update(body).digest("hex").slice(0, 8);
}
