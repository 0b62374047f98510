/** The output scripts that anchors use: OP_RETURN and P2WPKH. */
import { concatBytes } from "./byte-writer.ts";

const OP_RETURN = 0x6a;
const OP_PUSHDATA1 = 0x4c;

/** `OP_RETURN` followed by one push of `data` (1 to 80 bytes). Throws RangeError otherwise. */
export function opReturnScript(data: Uint8Array): Uint8Array {
  if (data.length < 1 || data.length > 80) throw new RangeError("OP_RETURN data has 1 to 80 bytes");
  const push = data.length < OP_PUSHDATA1 ? [data.length] : [OP_PUSHDATA1, data.length];
  return concatBytes(Uint8Array.of(OP_RETURN, ...push), data);
}

/** The data of a script that is exactly `OP_RETURN` and one minimal push; undefined for any other script. */
export function opReturnData(script: Uint8Array): Uint8Array | undefined {
  if (script[0] !== OP_RETURN) return undefined;
  const direct = (script[1] ?? 0) < OP_PUSHDATA1;
  const length = direct ? script[1] : script[2];
  const start = direct ? 2 : 3;
  if (length === undefined || length === 0 || script.length !== start + length) return undefined;
  if (!direct && (script[1] !== OP_PUSHDATA1 || length < OP_PUSHDATA1)) return undefined;
  return script.slice(start);
}

/** The 20-byte key hash of a version 0 witness program (P2WPKH); undefined for any other script. */
export function p2wpkhKeyHash(script: Uint8Array): Uint8Array | undefined {
  return script.length === 22 && script[0] === 0 && script[1] === 20 ? script.slice(2) : undefined;
}

/** `OP_0` and a 20-byte key hash. */
export function p2wpkhScript(keyHash: Uint8Array): Uint8Array {
  if (keyHash.length !== 20) throw new RangeError("a key hash has 20 bytes");
  return concatBytes(Uint8Array.of(0, 20), keyHash);
}
