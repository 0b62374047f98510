/** A message, an unsigned transaction, and what it may see instead of the state and its block. */
import type { AccessListEntry, Address, Authorization, Hash } from "@cairn/primitives";

/** A message: an unsigned transaction. */
export interface Message {
  readonly from?: Address;
  /** Absent: contract creation. */
  readonly to?: Address;
  readonly gas?: bigint;
  readonly gasPriceWei?: bigint;
  readonly maxFeePerGasWei?: bigint;
  readonly maxPriorityFeePerGasWei?: bigint;
  readonly valueWei?: bigint;
  readonly nonce?: bigint;
  readonly data?: Uint8Array;
  readonly accessList?: readonly AccessListEntry[];
  /** EIP-7702; an empty list makes the call fail as such a transaction would. */
  readonly authorizationList?: readonly Authorization[];
}

/** What a call sees of one account instead of the state. */
export interface AccountOverride {
  readonly nonce?: bigint;
  readonly code?: Uint8Array;
  readonly balanceWei?: bigint;
  /** The whole storage. */
  readonly state?: Readonly<Record<Hash, Hash>>;
  /** Single words. */
  readonly stateDiff?: Readonly<Record<Hash, Hash>>;
  readonly movePrecompileTo?: Address;
}

/** Overridden accounts by address. */
export type StateOverrides = Readonly<Record<Address, AccountOverride>>;

/** Header fields a call sees instead of its block's. */
export interface BlockOverrides {
  readonly number?: bigint;
  /** Seconds. */
  readonly time?: bigint;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Address;
  readonly prevRandao?: Hash;
  readonly baseFeePerGasWei?: bigint;
  readonly blobBaseFeeWei?: bigint;
  /** Simulated blocks only. */
  readonly beaconRoot?: Hash;
}
