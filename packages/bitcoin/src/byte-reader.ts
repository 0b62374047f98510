/** Reading of Bitcoin's encodings from bytes. */
import { BitcoinFormatError } from "./format-error.ts";

/** Reads bytes from the left; never past the end, never a length it has not the bytes for. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  /** The next `length` bytes, copied. Throws `truncated`. */
  take(length: number): Uint8Array {
    if (length > this.remaining)
      throw new BitcoinFormatError("truncated", `needs ${length} bytes, has ${this.remaining}`);
    const part = this.#bytes.slice(this.#offset, this.#offset + length);
    this.#offset += length;
    return part;
  }

  u8(): number {
    return this.take(1)[0] ?? 0;
  }

  u32(): number {
    const b = this.take(4);
    return new DataView(b.buffer).getUint32(0, true);
  }

  i32(): number {
    return this.u32() | 0;
  }

  u64(): bigint {
    const b = this.take(8);
    return new DataView(b.buffer).getBigUint64(0, true);
  }

  /** Bitcoin's CompactSize, shortest form only. Throws `not-minimal`, `too-large` above 2^32 - 1. */
  compactSize(): number {
    const first = this.u8();
    if (first < 0xfd) return first;
    if (first === 0xfd) return minimal(new DataView(this.take(2).buffer).getUint16(0, true), 0xfd);
    if (first === 0xfe) return minimal(this.u32(), 0x10000);
    throw new BitcoinFormatError("too-large", "a length above 2^32 - 1");
  }

  /** How many items follow, each of at least `itemBytes`. Throws `too-large` when they cannot fit. */
  count(itemBytes: number): number {
    const count = this.compactSize();
    if (count * itemBytes > this.remaining) throw new BitcoinFormatError("too-large", `${count} items do not fit`);
    return count;
  }

  /** Throws `trailing-bytes` unless everything is read. */
  end(): void {
    if (this.remaining !== 0) throw new BitcoinFormatError("trailing-bytes", `${this.remaining} bytes too many`);
  }
}

function minimal(value: number, least: number): number {
  if (value < least) throw new BitcoinFormatError("not-minimal", "a length not in its shortest form");
  return value;
}
