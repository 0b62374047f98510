/** The integers and strings of our own formats: big-endian, fixed width; a string is a u16 length and UTF-8. */
import { concatBytes } from "@cairn/primitives";

const UTF8 = new TextEncoder();
const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes that are not in one of our formats. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** A big-endian integer of `width` bytes. Throws RangeError when it does not fit. */
export function uint(value: bigint | number, width: number): Uint8Array {
  let rest = BigInt(value);
  if (rest < 0n || rest >= 1n << BigInt(8 * width)) throw new RangeError(`${value} does not fit ${width} bytes`);
  const bytes = new Uint8Array(width);
  for (let i = width - 1; i >= 0; i -= 1) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

/** ASCII or UTF-8 bytes without a length. */
export function text(value: string): Uint8Array {
  return UTF8.encode(value);
}

/** u16 length and UTF-8. Throws RangeError above 65,535 bytes. */
export function str(value: string): Uint8Array {
  const bytes = UTF8.encode(value);
  return concatBytes(uint(bytes.length, 2), bytes);
}

/** Exactly `length` bytes, unchanged. Throws RangeError otherwise. */
export function fixed(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${bytes.length} bytes where ${length} belong`);
  return bytes;
}

/** Reads our formats from the left. Throws `WireError`. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new WireError("too few bytes");
    const part = this.#bytes.slice(this.#offset, end);
    this.#offset = end;
    return part;
  }

  uint(width: number): bigint {
    return this.take(width).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  /** An integer of at most 4 bytes. */
  number(width: 1 | 2 | 4): number {
    return Number(this.uint(width));
  }

  str(): string {
    const bytes = this.take(this.number(2));
    try {
      return STRICT_UTF8.decode(bytes);
    } catch {
      throw new WireError("not UTF-8");
    }
  }

  end(): void {
    if (this.#offset !== this.#bytes.length) throw new WireError("bytes left over");
  }
}
