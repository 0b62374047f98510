/** Signing of messages (Standard Webhooks 1.0, symmetric): HMAC-SHA256 over id, time and body. */
import { createHmac, randomBytes } from "node:crypto";

const SECRET_BYTES = 32;
const PREFIX = "whsec_";

/** A new secret. */
export function newSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/**
 * The secret after a rotation. Asked for under a request's name it follows from that name and the secret before, so that
 * the same request, served again after a crash, finds its rotation done and does not push the first secret out.
 */
export function nextSecret(
  requestName: Uint8Array | undefined,
  o: {
    readonly current: Uint8Array;
    readonly previous: { readonly secret: Uint8Array; readonly untilMs: number } | undefined;
    readonly nowMs: number;
  },
): { readonly secret: Uint8Array; readonly isDone: boolean } {
  if (requestName === undefined) return { secret: newSecret(), isDone: false };
  const after = (secret: Uint8Array) => createHmac("sha256", secret).update(requestName).digest();
  const { current, previous, nowMs } = o;
  const isDone = previous !== undefined && previous.untilMs > nowMs && after(previous.secret).equals(current);
  return { secret: isDone ? current : after(current), isDone };
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
