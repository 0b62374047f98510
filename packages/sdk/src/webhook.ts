/**
 * Checking that a webhook comes from the service: Standard Webhooks 1.0 (headers `webhook-id`, `webhook-timestamp`,
 * `webhook-signature`; HMAC-SHA256 over `id.timestamp.body`). Runs on WebCrypto, so in Node, browsers and edge
 * runtimes. Does not remember ids: a receiver that must not act twice keeps those it has seen.
 */

/** Why a webhook is not believed. */
export type WebhookRefusalCode =
  | "missing-header"
  | "malformed-header"
  | "malformed-secret"
  | "timestamp-out-of-tolerance"
  | "signature-mismatch";

/** A webhook that must not be believed. `code` is stable; the message never holds the secret. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";
  readonly code: WebhookRefusalCode;
  constructor(code: WebhookRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A webhook whose signature holds. */
export interface VerifiedWebhook {
  /** The same for every delivery of one event: what a receiver keeps to act once. */
  readonly id: string;
  /** When this delivery was signed, in milliseconds. */
  readonly signedAtMs: number;
  /** The body, parsed. */
  readonly event: unknown;
}

/** What arrived and what it is checked with. */
export interface WebhookInput {
  /** The body exactly as it came: bytes, or its text. Never parsed and written again. */
  readonly body: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_…` as the service showed it once; several while a secret is being rotated. */
  readonly secret: string | readonly string[];
  /** Default 300, both ways. */
  readonly toleranceSeconds?: number;
  /** Default: now. */
  readonly nowMs?: number;
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const MAX_SIGNATURES = 16;

/** The webhook's id, time and event. Throws `WebhookRefused`. */
export async function verifyWebhook(input: WebhookInput): Promise<VerifiedWebhook> {
  const id = header(input.headers, "webhook-id");
  const timestamp = header(input.headers, "webhook-timestamp");
  const signatures = header(input.headers, "webhook-signature");
  const signedAtMs = readTimestamp(timestamp, input);
  const body = typeof input.body === "string" ? new TextEncoder().encode(input.body) : input.body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const secrets = typeof input.secret === "string" ? [input.secret] : input.secret;
  const keys = await Promise.all(secrets.map(importSecret));
  if (!(await anyHolds(keys, signaturesOf(signatures), signed))) {
    throw new WebhookRefused("signature-mismatch", "no signature of the webhook holds");
  }
  return { id, signedAtMs, event: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) };
}

function header(headers: WebhookInput["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== "string" || text === "")
    throw new WebhookRefused("missing-header", `the header ${name} is missing`);
  return text;
}

function readTimestamp(text: string, o: WebhookInput): number {
  if (!/^\d{1,12}$/.test(text))
    throw new WebhookRefused("malformed-header", "webhook-timestamp is no number of seconds");
  const signedAtMs = Number(text) * 1_000;
  const toleranceMs = (o.toleranceSeconds ?? TOLERANCE_SECONDS) * 1_000;
  if (Math.abs((o.nowMs ?? Date.now()) - signedAtMs) > toleranceMs) {
    throw new WebhookRefused("timestamp-out-of-tolerance", "the webhook was signed too long ago, or in the future");
  }
  return signedAtMs;
}

/** The `v1` signatures of the header, which lists `version,base64` separated by spaces. */
function signaturesOf(text: string): readonly Uint8Array<ArrayBuffer>[] {
  const listed = text.split(" ").slice(0, MAX_SIGNATURES);
  return listed.flatMap((entry) => {
    const [version, base64 = ""] = entry.split(",", 2);
    const bytes = version === "v1" ? fromBase64(base64) : undefined;
    return bytes === undefined ? [] : [bytes];
  });
}

function importSecret(secret: string): Promise<HmacKey> {
  const bytes = fromBase64(SECRET.exec(secret)?.[1] ?? "");
  if (bytes === undefined || bytes.length < 24) {
    throw new WebhookRefused("malformed-secret", "a secret is whsec_ and at least 24 bytes of base64");
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** WebCrypto compares in constant time. */
async function anyHolds(
  keys: readonly HmacKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const key of keys) {
    for (const signature of signatures) if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
  }
  return false;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
