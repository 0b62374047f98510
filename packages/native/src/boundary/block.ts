/** A block: how it is named, what it is made of, what executing and committing it answers. */
import type { Address, Hash, Hex } from "@cairn/primitives";

/** A height, or a block hash. Tags are resolved by the caller. */
export type BlockRef = bigint | Hash;

/** A committed block, or the one built last by `buildPending`. */
export type ReadRef = BlockRef | "pending";

/** A committed block's header, as far as others build on it. */
export interface Head {
  readonly number: bigint;
  readonly hash: Hash;
  readonly stateRoot: Hash;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGasWei: bigint;
  /** Base fee of the block that will follow. */
  readonly nextBaseFeePerGasWei: bigint;
  /** `extraData`: the 32-byte consensus block hash of this height; `0x` for block 0. */
  readonly consensusHash: Hex;
}

/** A block to execute: its place, its time, its transactions as EIP-2718 bytes. */
export interface BlockContext {
  readonly height: bigint;
  /** Seconds, never below the parent's. */
  readonly timestamp: bigint;
  /** Receives the priority fees; the header's `miner`. */
  readonly miner: Address;
  readonly txs: readonly Uint8Array[];
}

/** A block that the engine decided. */
export interface ExecuteRequest extends BlockContext {
  /** 32 bytes: becomes `extraData`. */
  readonly consensusHash: Uint8Array;
}

/** A transaction that is in the block, with what its receipt says. */
export interface ExecutedTx {
  readonly included: true;
  readonly hash: Hash;
  /** Index among the included transactions of the block. */
  readonly index: number;
  readonly sender: Address;
  readonly to: Address | null;
  readonly contractAddress: Address | null;
  readonly nonce: bigint;
  readonly valueWei: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly type: 0 | 1 | 2 | 4;
  /** Receipt status 1. */
  readonly success: boolean;
  /** Its logs as the JSON text of an array of log objects, `[]` when there are none. */
  readonly logsJson: string;
}

/** A transaction that cannot be executed at its turn: no receipt, a deterministic code of 2 or more. */
export interface SkippedTx {
  readonly included: false;
  readonly code: number;
  readonly reason: string;
}

/** An executed block that is not committed yet. */
export interface ExecuteOutcome {
  /** Hash of the Ethereum block = the app hash of this height. */
  readonly hash: Hash;
  /** As many as transactions, in their order. */
  readonly txs: readonly (ExecutedTx | SkippedTx)[];
}

/** A block that is durable now. */
export interface CommitOutcome {
  readonly head: Head;
  /** The header object as JSON text, as `eth_subscribe("newHeads")` sends it. */
  readonly headerJson: string;
  /** All logs of the block as the JSON text of an array. */
  readonly logsJson: string;
  readonly logsBloom: Hex;
  /** Every account the block changed, ascending. */
  readonly changed: readonly Address[];
}

/** An account at a block; `codeHash` is keccak-256 of nothing without code. */
export interface AccountState {
  readonly nonce: bigint;
  readonly balanceWei: bigint;
  readonly codeHash: Hash;
}
