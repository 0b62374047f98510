/** Owns paths of the Merkle-Patricia trie: half-bytes and their hex-prefix form (Yellow Paper, appendix C). */

/** Half-bytes of a key, high half first. */
export function toNibbles(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2);
  for (const [i, byte] of key.entries()) {
    nibbles[2 * i] = byte >> 4;
    nibbles[2 * i + 1] = byte & 15;
  }
  return nibbles;
}

/** Hex-prefix form of a path in a leaf or an extension node. */
export function encodePath(nibbles: Uint8Array, leaf: boolean): Uint8Array {
  const odd = nibbles.length % 2;
  const out = new Uint8Array(1 + ((nibbles.length - odd) >> 1));
  out[0] = (leaf ? 0x20 : 0) + (odd === 1 ? 0x10 + (nibbles[0] ?? 0) : 0);
  for (let i = odd; i < nibbles.length; i += 2) {
    out[1 + ((i - odd) >> 1)] = (nibbles[i] ?? 0) * 16 + (nibbles[i + 1] ?? 0);
  }
  return out;
}

/** Inverse of `encodePath`; `undefined` when the bytes are no hex-prefix form. */
export function decodePath(bytes: Uint8Array): { nibbles: Uint8Array; leaf: boolean } | undefined {
  const first = bytes[0];
  if (first === undefined || first > 0x3f) return undefined;
  const odd = (first & 0x10) !== 0;
  if (!odd && (first & 15) !== 0) return undefined;
  const nibbles = toNibbles(bytes).subarray(odd ? 1 : 2);
  return { nibbles, leaf: (first & 0x20) !== 0 };
}

/** Length of the common beginning of two paths, counted from `offset`. */
export function commonPrefix(a: Uint8Array, b: Uint8Array, offset: number): number {
  const end = Math.min(a.length, b.length);
  let i = offset;
  while (i < end && a[i] === b[i]) i++;
  return i - offset;
}
