/** Gas limit of a settlement: enough for its data and slots, more at each further attempt. */

const TRANSACTION_GAS = 21_000n;
const CALLDATA_BYTE_GAS = 16n;
/** EIP-7623: a transaction pays at least this per byte of data that is not zero. */
const CALLDATA_FLOOR_GAS = 40n;
/** The precompile's price per slot and what the hub adds for copying, with room. */
const SLOT_GAS = 90_000n;
const HUB_GAS = 1_500_000n;
/** Bytes are copied between call data, memory and precompile, and priced there. */
const COPIED_BYTE_GAS = 24n;

/** Bounded by the block's gas limit. */
export function settlementGas(o: {
  readonly data: Uint8Array;
  readonly slots: number;
  readonly attempt: number;
  readonly blockGasLimit: bigint;
}): bigint {
  const bytes = BigInt(o.data.length);
  const execution = HUB_GAS + BigInt(o.slots) * SLOT_GAS + bytes * COPIED_BYTE_GAS;
  const standard = TRANSACTION_GAS + bytes * CALLDATA_BYTE_GAS + execution;
  const floor = TRANSACTION_GAS + bytes * CALLDATA_FLOOR_GAS;
  const wanted = (standard > floor ? standard : floor) * BigInt(Math.min(o.attempt, 8));
  return wanted < o.blockGasLimit ? wanted : o.blockGasLimit;
}
