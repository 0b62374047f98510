/** 0x-hex as this package reads and writes it. Contracts stand below every other package, so it has its own few lines. */

/** 0x-hex text. */
export type Hex = `0x${string}`;

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): Hex {
  let digits = "";
  for (const byte of bytes) digits += byte.toString(16).padStart(2, "0");
  return `0x${digits}`;
}

/** Bytes of an even number of hex digits after `0x`. Throws RangeError. */
export function fromHex(hex: string): Uint8Array {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(hex)) throw new RangeError("not 0x-hex of whole bytes");
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(hex.slice(2 * i + 2, 2 * i + 4), 16);
  return bytes;
}
