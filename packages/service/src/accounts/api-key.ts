/**
 * The text of API keys: `cairn_<sbx|live>_<id>_<secret><checksum>`, id 12 hex digits, secret 48 (192 random bits), checksum
 * the first 4 bytes of SHA-256 over all before it in hex, so that a mistyped key is told from a wrong one. Owns the
 * form and the digest that is stored; not which keys exist.
 *
 * The digest is one SHA-256: a secret of 192 random bits cannot be searched, so a slow hash would only slow the service
 * (RFC 9106 and its kin protect secrets that people choose).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Environment } from "@cairn/api";

export type { Environment };

/** A key whose form and checksum are right. */
export interface ApiKey {
  readonly environment: Environment;
  /** Names the key in listings and logs; not secret. */
  readonly id: string;
  /** The whole key: secret. */
  readonly text: string;
}

const MARKS = { sandbox: "sbx", production: "live" } as const satisfies Record<Environment, string>;
const ID_BYTES = 6;
const SECRET_BYTES = 24;
const KEY = /^(cairn_(sbx|live)_([0-9a-f]{12})_[0-9a-f]{48})([0-9a-f]{8})$/;

/** Makes a key from `random` bytes. */
export function createApiKey(environment: Environment, random: (bytes: number) => Uint8Array): ApiKey {
  const id = Buffer.from(random(ID_BYTES)).toString("hex");
  const body = `cairn_${MARKS[environment]}_${id}_${Buffer.from(random(SECRET_BYTES)).toString("hex")}`;
  return { environment, id, text: body + checksum(body) };
}

/** Reads a key; undefined when its form or its checksum is wrong. */
export function parseApiKey(text: string): ApiKey | undefined {
  const [, body, mark, id, sum] = KEY.exec(text) ?? [];
  if (body === undefined || id === undefined || sum !== checksum(body)) return undefined;
  return { environment: mark === MARKS.sandbox ? "sandbox" : "production", id, text };
}

/** What is stored of a key: SHA-256 of its whole text, so that id and environment are bound as well. */
export function apiKeyDigest(key: ApiKey): Uint8Array {
  return createHash("sha256").update(key.text).digest();
}

/** Whether a stored digest is this key's, compared in constant time; an absent digest takes as long as a wrong one. */
export function matchesDigest(key: ApiKey, stored: Uint8Array | undefined): boolean {
  const digest = apiKeyDigest(key);
  const other = stored?.length === digest.length ? stored : new Uint8Array(digest.length);
  return timingSafeEqual(digest, other) && stored !== undefined;
}

function checksum(body: string): string {
  return createHash("sha256").update(body).digest("hex").slice(0, 8);
}
