/** The detached timestamp file (`.ots`): magic, version, file hash operation, digest, tree. */
import { ByteReader } from "../byte-reader.ts";
import { concatBytes } from "../byte-writer.ts";
import { BitcoinFormatError } from "../format-error.ts";
import { decodeHex, equalBytes } from "../hex.ts";
import { readTimestamp, serializeTimestamp, type Timestamp } from "./timestamp.ts";
import { encodeVaruint, readVaruint } from "./varuint.ts";

/** A parsed `.ots` file over a SHA-256 digest. */
export interface DetachedTimestamp {
  /** SHA-256 of the stamped file. */
  readonly fileDigest: Uint8Array;
  readonly timestamp: Timestamp;
}

/** `\x00OpenTimestamps\x00\x00Proof\x00` and eight random bytes. */
export const OTS_MAGIC = decodeHex("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294");

/** Largest file the reader takes. */
export const MAX_OTS_BYTES = 1_000_000;

const MAJOR_VERSION = 1;
const SHA256_TAG = 0x08;

/** The bytes of an `.ots` file for a file with this SHA-256 digest. Throws `BitcoinFormatError`. */
export function serializeDetached(fileDigest: Uint8Array, timestamp: Timestamp): Uint8Array {
  if (fileDigest.length !== 32) throw new BitcoinFormatError("bad-length", "a SHA-256 digest has 32 bytes");
  const head = concatBytes(OTS_MAGIC, encodeVaruint(MAJOR_VERSION), Uint8Array.of(SHA256_TAG), fileDigest);
  return concatBytes(head, serializeTimestamp(timestamp));
}

/** Parses an `.ots` file. Only SHA-256 file digests are taken. Throws `BitcoinFormatError`. */
export function parseDetached(bytes: Uint8Array): DetachedTimestamp {
  if (bytes.length > MAX_OTS_BYTES) throw new BitcoinFormatError("too-large", "file above 1,000,000 bytes");
  const reader = new ByteReader(bytes);
  if (bytes.length < OTS_MAGIC.length || !equalBytes(reader.take(OTS_MAGIC.length), OTS_MAGIC)) {
    throw new BitcoinFormatError("bad-magic", "not an OpenTimestamps file");
  }
  if (readVaruint(reader) !== MAJOR_VERSION) throw new BitcoinFormatError("unsupported-version", "not version 1");
  if (reader.u8() !== SHA256_TAG) throw new BitcoinFormatError("unknown-operation", "the file hash is not SHA-256");
  const fileDigest = reader.take(32);
  const timestamp = readTimestamp(reader);
  reader.end();
  return { fileDigest, timestamp };
}
