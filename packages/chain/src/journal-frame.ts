/**
 * Owns the bytes of the pool's journal: a magic, then per transaction its length and CRC-32 (4 bytes each, big-endian)
 * and its EIP-2718 bytes. The file only grows by appending, so damage can only be met at its end: reading stops there.
 */
import { crc32 } from "node:zlib";

/** First bytes of a journal; the last digit is the version. */
export const JOURNAL_MAGIC: Uint8Array = Buffer.from("CAIRNTX1", "latin1");

const HEAD_BYTES = 8;

/** No pooled transaction is longer; a longer length is damage. */
const MAX_TX_BYTES = 1024 * 1024;

/** The frames of transactions, one after the other. */
export function encodeFrames(raws: readonly Uint8Array[]): Buffer {
  const frames: Uint8Array[] = [];
  for (const raw of raws) {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(raw.length, 0);
    head.writeUInt32BE(crc32(raw), 4);
    frames.push(head, raw);
  }
  return Buffer.concat(frames);
}

/** The whole frames at the beginning of `bytes`. `damaged`: what follows is no frame and no beginning of one. */
export function decodeFrames(bytes: Buffer): {
  readonly raws: readonly Uint8Array[];
  readonly used: number;
  readonly damaged: boolean;
} {
  const raws: Uint8Array[] = [];
  let used = 0;
  while (bytes.length - used >= HEAD_BYTES) {
    const length = bytes.readUInt32BE(used);
    if (length === 0 || length > MAX_TX_BYTES) return { raws, used, damaged: true };
    const from = used + HEAD_BYTES;
    if (bytes.length < from + length) break;
    const raw = new Uint8Array(bytes.subarray(from, from + length));
    if (crc32(raw) !== bytes.readUInt32BE(used + 4)) return { raws, used, damaged: true };
    raws.push(raw);
    used = from + length;
  }
  return { raws, used, damaged: false };
}
