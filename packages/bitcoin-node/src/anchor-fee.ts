/** Size and fee of an anchor before it is signed. Pure. */

/** Bytes of an anchor with one P2WPKH input, change and 40 bytes in OP_RETURN, without witness and without inputs. */
const FIXED_BYTES = 92;
const INPUT_BYTES = 41;
/** Marker and flag, then per input: two items, a signature of at most 72 bytes, a key of 33. */
const WITNESS_FIXED = 2;
const WITNESS_PER_INPUT = 108;

/** Largest virtual size of an anchor with that many inputs. */
export function anchorVsize(inputs: number): number {
  const weight = 4 * (FIXED_BYTES + INPUT_BYTES * inputs) + WITNESS_FIXED + WITNESS_PER_INPUT * inputs;
  return Math.ceil(weight / 4);
}

/** What an operator allows. Rates in satoshi per vbyte. */
export interface FeePolicy {
  /** The first variant offers the rate of confirmation within so many blocks. */
  readonly targetBlocks: number;
  /** When the node has no estimate. */
  readonly fallbackRate: number;
  readonly capRate: number;
  readonly capSat: number;
}

/** No node relays less by default (Bitcoin Core before 30, btcd). */
const FLOOR_RATE = 1;
/** Replacing costs this much more per vbyte at least (BIP 125, rule 4, at the highest default). */
const INCREMENT_RATE = 1;
const BUMP_FACTOR = 1.25;

/** Blocks within which a round's variant should be confirmed: a quarter each time; round 0 is the first variant. */
export function feeTarget(policy: FeePolicy, round: number): number {
  return Math.max(2, Math.floor(policy.targetBlocks / 4 ** round));
}

/** Fee of a first variant in satoshi; `estimate` in satoshi per vbyte. */
export function firstFee(policy: FeePolicy, vsize: number, estimate: number | null): number {
  const rate = Math.max(FLOOR_RATE, estimate ?? policy.fallbackRate);
  return Math.min(mostFee(policy, vsize), Math.ceil(vsize * rate));
}

/**
 * Fee of a variant that replaces `previous`: the estimate, or a quarter more, or the least that replaces it (higher
 * absolute fee and rate). Undefined: the cap is below that least.
 */
export function bumpedFee(
  policy: FeePolicy,
  o: {
    readonly vsize: number;
    readonly estimate: number | null;
    readonly previous: { readonly feeSat: number; readonly vsize: number };
  },
): number | undefined {
  const rate = o.previous.feeSat / o.previous.vsize;
  const least = Math.ceil(Math.max(o.previous.feeSat, rate * o.vsize) + INCREMENT_RATE * o.vsize);
  const wanted = Math.ceil(o.vsize * Math.max(o.estimate ?? 0, rate * BUMP_FACTOR));
  const most = mostFee(policy, o.vsize);
  return most < least ? undefined : Math.min(most, Math.max(least, wanted));
}

function mostFee(policy: FeePolicy, vsize: number): number {
  return Math.min(policy.capSat, Math.floor(policy.capRate * vsize));
}
