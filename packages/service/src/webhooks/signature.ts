/** Signing of messages (Standard Webhooks 1.0, symmetric): HMAC-SHA256 over id, time and body. */
import { createHmac, randomBytes } from "node:crypto";

const SECRET_BYTES = 32;
const PREFIX = "whsec_";

/** A new secret. */
export function newSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** The secret as its owner keeps it. */
export function secretText(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString("base64");
}

/** Headers of one attempt; a signature for each secret, the newest first. */
export function signedHeaders(
  secrets: readonly Uint8Array[],
  message: { readonly id: string; readonly body: string },
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", secret).update(`${message.id}.${timestamp}.${message.body}`);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
