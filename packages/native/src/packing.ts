/** Byte strings crossing in one buffer: little-endian u32 length ‖ bytes, repeated. */

/** Packs items for the addon. */
export function pack(items: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const item of items) size += 4 + item.length;
  const packed = new Uint8Array(size);
  const view = new DataView(packed.buffer);
  let offset = 0;
  for (const item of items) {
    view.setUint32(offset, item.length, true);
    packed.set(item, offset + 4);
    offset += 4 + item.length;
  }
  return packed;
}

/** Unpacks items of the addon; each is a copy. */
export function unpack(packed: Uint8Array): Uint8Array[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const items: Uint8Array[] = [];
  let offset = 0;
  while (offset < packed.length) {
    const length = view.getUint32(offset, true);
    items.push(Uint8Array.prototype.slice.call(packed, offset + 4, offset + 4 + length));
    offset += 4 + length;
  }
  return items;
}
