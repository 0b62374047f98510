/** Looking into states and into the index of accounts. */
import type { Address, Hash } from "@cairn/primitives";
import type { BlockRef } from "./block.ts";

/** Looking into states and into the index of accounts; keys are keccak hashes of addresses and slots. */
export type ExploreRequest =
  /** Accounts in the order of their keys, as geth dumps them. */
  | {
      readonly kind: "dump";
      readonly block: BlockRef;
      readonly start: Hash;
      readonly most: number;
      readonly code: boolean;
      readonly storage: boolean;
    }
  /** An account's storage before a transaction of a block. */
  | {
      readonly kind: "storageRange";
      readonly block: BlockRef;
      readonly txIndex: number;
      readonly address: Address;
      readonly start: Hash;
      readonly most: number;
    }
  /** The address or slot a key stands for. */
  | { readonly kind: "preimage"; readonly hash: Hash }
  /** Addresses whose accounts differ between two blocks. */
  | { readonly kind: "modified"; readonly from: BlockRef; readonly to: BlockRef }
  /** `{hashes, more}` of the transactions that touched an account, whole blocks until there are `least`. */
  | {
      readonly kind: "touching";
      readonly address: Address;
      readonly from: bigint;
      readonly to: bigint;
      readonly backwards: boolean;
      readonly least: number;
    };

/** `json` is the finished answer; `too-large`: more entries than one answer carries. */
export type ExploreOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "unknown-block" | "unknown-transaction" | "unknown" | "too-large" };
