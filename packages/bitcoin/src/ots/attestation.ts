/** OpenTimestamps attestations. Tags that are not known are kept as they are. */
import { ByteReader } from "../byte-reader.ts";
import { concatBytes } from "../byte-writer.ts";
import { BitcoinFormatError } from "../format-error.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { encodeVaruint, readVarbytes, readVaruint } from "./varuint.ts";

/** The message is the Merkle root of the Bitcoin block at `height`; or a calendar will know more; or unknown. */
export type Attestation =
  | { readonly kind: "bitcoin"; readonly height: number }
  | { readonly kind: "pending"; readonly uri: string }
  | { readonly kind: "unknown"; readonly tag: string; readonly payload: Uint8Array };

/** Hex of the 8-byte tag "Bitcoin block header". */
export const BITCOIN_ATTESTATION_TAG = "0588960d73d71901";
/** Hex of the 8-byte tag "pending at a calendar". */
export const PENDING_ATTESTATION_TAG = "83dfe30d2ef90c8e";
/** Longest payload in bytes. */
export const MAX_ATTESTATION_BYTES = 8192;

const URI = /^[A-Za-z0-9\-._/:]{1,1000}$/;

/** Whether a calendar URL may stand in a pending attestation (no query, no `%`, no `@`; at most 1,000 characters). */
export function isCalendarUri(uri: string): boolean {
  return URI.test(uri);
}

/** Tag, length, payload. Throws `bad-attestation` for a URI that stock clients refuse. */
export function serializeAttestation(attestation: Attestation): Uint8Array {
  const [tag, payload] = parts(attestation);
  return concatBytes(decodeHex(tag), encodeVaruint(payload.length), payload);
}

/** Reads tag, length, payload. Throws `BitcoinFormatError`. */
export function readAttestation(reader: ByteReader): Attestation {
  const tag = encodeHex(reader.take(8));
  const payload = readVarbytes(reader, 0, MAX_ATTESTATION_BYTES);
  if (tag === BITCOIN_ATTESTATION_TAG) return whole(payload, (r) => ({ kind: "bitcoin", height: readVaruint(r) }));
  if (tag === PENDING_ATTESTATION_TAG) return whole(payload, (r) => ({ kind: "pending", uri: readUri(r) }));
  return { kind: "unknown", tag, payload };
}

function parts(attestation: Attestation): [tag: string, payload: Uint8Array] {
  switch (attestation.kind) {
    case "bitcoin":
      return [BITCOIN_ATTESTATION_TAG, encodeVaruint(attestation.height)];
    case "pending": {
      if (!isCalendarUri(attestation.uri)) throw new BitcoinFormatError("bad-attestation", "not a calendar URL");
      const uri = new TextEncoder().encode(attestation.uri);
      return [PENDING_ATTESTATION_TAG, concatBytes(encodeVaruint(uri.length), uri)];
    }
    case "unknown":
      return [attestation.tag, attestation.payload];
  }
}

function whole(payload: Uint8Array, read: (reader: ByteReader) => Attestation): Attestation {
  const reader = new ByteReader(payload);
  const attestation = read(reader);
  reader.end();
  return attestation;
}

function readUri(reader: ByteReader): string {
  const uri = String.fromCharCode(...readVarbytes(reader, 1, 1000));
  if (!isCalendarUri(uri)) throw new BitcoinFormatError("bad-attestation", "not a calendar URL");
  return uri;
}
