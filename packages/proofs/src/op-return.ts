/** The data of the OP_RETURN output of an anchor (docs/formats.md). */
import { concatBytes } from "@cairn/primitives";
import { fixed, text, uint, WireError, WireReader } from "./wire.ts";

/** 40 bytes: "CAIRN" ‖ u8 1 ‖ u16 low bits of the sequence ‖ anchor commitment. */
export function opReturnData(o: { readonly sequence: bigint; readonly commitment: Uint8Array }): Uint8Array {
  const low = uint(BigInt.asUintN(16, o.sequence), 2);
  return concatBytes(text("CAIRN"), uint(1, 1), low, fixed(o.commitment, 32));
}

/** Low 16 bits of the sequence and the anchor commitment. Throws `WireError`. */
export function parseOpReturnData(bytes: Uint8Array): {
  readonly sequenceLow: number;
  readonly commitment: Uint8Array;
} {
  const r = new WireReader(bytes);
  if (new TextDecoder().decode(r.take(5)) !== "CAIRN" || r.number(1) !== 1)
    throw new WireError("not an anchor of version 1");
  const data = { sequenceLow: r.number(2), commitment: r.take(32) };
  r.end();
  return data;
}
