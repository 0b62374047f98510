/** SHA-256 of the platform, for CometBFT's hashes. */
import { hash } from "node:crypto";
import type { Sha256 } from "@cairn/comet";

/** SHA-256 by Node's own crypto, passed to the hashes that run over whole blocks. */
export const platformSha256: Sha256 = (bytes) => {
  const digest = hash("sha256", bytes, "buffer");
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length);
};
