/** The coinbase transaction: the height it states and the subsidy. */
import { concatBytes } from "./byte-writer.ts";
import { type BitcoinTransaction, isCoinbase } from "./transaction.ts";

/** The push with which a coinbase script starts at `height` (BIP 34): `OP_1`…`OP_16`, else a minimal script number. */
export function coinbaseHeightPush(height: number): Uint8Array {
  if (height === 0) return Uint8Array.of(0);
  if (height <= 16) return Uint8Array.of(0x50 + height);
  const digits: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) digits.push(rest % 256);
  if ((digits.at(-1) ?? 0) >= 0x80) digits.push(0);
  return concatBytes(Uint8Array.of(digits.length), Uint8Array.from(digits));
}

/** The height a coinbase transaction states (BIP 34), below 2^31; undefined when it is no coinbase or states none. */
export function coinbaseHeight(tx: BitcoinTransaction): number | undefined {
  const script = tx.inputs[0]?.scriptSig;
  if (script === undefined || !isCoinbase(tx) || script.length < 2 || script.length > 100) return undefined;
  const height = readHeight(script);
  if (height === undefined || height >= 2 ** 31) return undefined;
  const push = coinbaseHeightPush(height);
  return push.every((byte, i) => byte === script[i]) ? height : undefined;
}

/** Block subsidy in satoshi; it halves every `interval` blocks (210,000; 150 on regtest). */
export function subsidySat(height: number, interval: number): bigint {
  return 5_000_000_000n >> BigInt(Math.min(Math.floor(height / interval), 64));
}

function readHeight(script: Uint8Array): number | undefined {
  const first = script[0] ?? 0;
  if (first >= 0x51 && first <= 0x60) return first - 0x50;
  if (first < 1 || first > 5 || script.length < 1 + first) return undefined;
  let height = 0;
  for (let i = first; i >= 1; i -= 1) height = height * 256 + (script[i] ?? 0);
  return height;
}
