/**
 * Cursors of listings: opaque, authenticated, and good only for the listing, the account and the filters they were made
 * for. Own the key's use; not what a row key means.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Makes and reads cursors. `listing` names listing, account and filters. */
export interface Cursors {
  encode(listing: string, before: number): string;
  /** The row key; undefined for what this service did not make for this listing. */
  decode(listing: string, cursor: string): number | undefined;
}

const NUMBER_BYTES = 8;
const TAG_BYTES = 16;

/** Cursors under one secret key. */
export function createCursors(key: Uint8Array): Cursors {
  const tagOf = (listing: string, number: Buffer): Buffer =>
    createHmac("sha256", key).update("cairn/cursor/1\0").update(number).update(listing).digest().subarray(0, TAG_BYTES);
  return {
    encode: (listing, before) => {
      const number = Buffer.alloc(NUMBER_BYTES);
      number.writeBigUInt64BE(BigInt(before));
      return Buffer.concat([number, tagOf(listing, number)]).toString("base64url");
    },
    decode: (listing, cursor) => {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length !== NUMBER_BYTES + TAG_BYTES || bytes.toString("base64url") !== cursor) return undefined;
      const number = bytes.subarray(0, NUMBER_BYTES);
      const isOurs = timingSafeEqual(bytes.subarray(NUMBER_BYTES), tagOf(listing, number));
      return isOurs ? Number(number.readBigUInt64BE()) : undefined;
    },
  };
}
