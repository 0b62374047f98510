/**
 * What the aggregator needs from outside: verification, the chain, Bitcoin, time, randomness, a log. Owned by this
 * package, implemented by the composition root.
 */
import type { Address, Hash } from "@cairn/primitives";
import type { BitcoinNetwork, SettlementParts, StatementKind } from "@cairn/proofs";
import type { PayerCharge, PlacedVaultEvent } from "./payment/ledger-store.ts";

/** Milliseconds since 1970 of wall time. */
export type Clock = () => number;

/** The minimal logger: structured fields first, then one sentence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What verification found of one `proof_data`. */
export type Verdict =
  | {
      readonly ok: true;
      readonly kind: StatementKind;
      readonly system: string;
      readonly curve: string;
      readonly encoding: string;
      readonly version: string;
      readonly vkHash: Hash;
      readonly publicInputsHash: Hash;
      readonly proofHash: Hash;
      readonly canonicalProof: Uint8Array;
      readonly canonicalKey: Uint8Array;
      readonly publicInputs: Uint8Array;
    }
  | {
      readonly ok: false;
      readonly code: string;
      readonly detail: string;
      /** With `unknown-vk`: the hash of the key that is wanted. */
      readonly vkHash?: Hash;
    };

/** What an account's chain takes bare artifacts for. */
export interface ProofProfile {
  readonly system: string;
  readonly curve?: string;
  readonly encoding: string;
  readonly version?: string;
  readonly vkHash?: Hash;
}

/** A `proof_data` text, or one with its chain's profile or with the key that it names by hash. */
export type ProofItem =
  | string
  | {
      readonly proofData: string;
      readonly profile?: ProofProfile | undefined;
      /** Canonical bytes. */
      readonly key?: Uint8Array | undefined;
    };

/** Verifies in groups; a verdict per item, in order. */
export interface VerifierPort {
  verify(items: readonly ProofItem[]): Promise<readonly Verdict[]>;
}

/** The profile of an account's chain; undefined: it has none. */
export type ProfilePort = (account: string, chainKey: string) => ProofProfile | undefined;

/** A settlement transaction, signed and ready to send. */
export interface SignedSettlement {
  readonly raw: Uint8Array;
  readonly hash: Hash;
}

/** What the pool said. `already-known` is success. `nonce-used`: included, or displaced by another transaction. */
export type SendOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "nonce-used" | "refused"; readonly message: string };

/** A `BatchSettled` log of the own submitter in a committed block. */
export interface SettledEvent {
  readonly number: number;
  readonly commitment: Hash;
  readonly root: Hash;
  readonly size: number;
  readonly verified: number;
  readonly commitments: number;
  /** Indices of excluded slots, ascending. */
  readonly excluded: readonly number[];
  readonly block: number;
  readonly transactionHash: Hash;
  /** Of the transaction in its block. */
  readonly transactionIndex: number;
  /** What the vault did with the batch's payers. */
  readonly charges: readonly PayerCharge[];
}

/** The chain, as the settler sees it. Calls throw when the node is not reachable. */
export interface SettlementPort {
  readonly chainId: bigint;
  /** Address that signs settlements. */
  readonly submitter: Address;
  readonly hub: Address;
  /** Hash of block 0: which chain the store belongs to. */
  genesis(): Promise<Hash>;
  /** Number of the newest committed block. */
  head(): Promise<number>;
  /** Number of transactions of the submitter in committed blocks. */
  nonce(): Promise<number>;
  /** Signs `ProofHub.settle(number, batch, payers)`; `gasLimit` is cut to the block's. */
  sign(o: {
    readonly number: number;
    readonly batch: Uint8Array;
    readonly payers: readonly Address[];
    readonly nonce: number;
    readonly gasLimit: number;
  }): Promise<SignedSettlement>;
  send(raw: Uint8Array): Promise<SendOutcome>;
  /** Where a transaction is: committed with or without effect, waiting in the pool, or unknown. */
  locate(hash: Hash): Promise<"settled" | "reverted" | "pending" | "unknown">;
  /** Logs of the own submitter in blocks `from` to `to`, in order. */
  settled(from: number, to: number): Promise<readonly SettledEvent[]>;
  /** What a receipt needs of the settlement's block and the height after it, which must be committed. */
  parts(event: SettledEvent): Promise<SettlementParts>;
}

/** The vault, as the ledger follows it. Calls throw when the node is not reachable. */
export interface VaultPort {
  readonly vault: Address;
  /** Number of the newest committed block. */
  head(): Promise<number>;
  /** Logs of the vault in blocks `from` to `to`, in order. */
  logs(from: number, to: number): Promise<readonly PlacedVaultEvent[]>;
}

/** An unspent output that belongs to the anchor wallet. Txid in display order. */
export interface AnchorCoin {
  readonly txid: string;
  readonly vout: number;
  readonly valueSat: number;
}

/** A signed anchor transaction. */
export interface SignedAnchor {
  /** With witness. */
  readonly rawTx: Uint8Array;
  /** Display order. */
  readonly txid: string;
  readonly change: AnchorCoin;
  readonly feeSat: number;
}

/** A transaction of a block that spends a coin of the anchor wallet. */
export interface AnchorSpend {
  /** Display order. */
  readonly txid: string;
  /** With witness. */
  readonly rawTx: Uint8Array;
  /** What its data commits to; undefined: it is no anchor. */
  readonly commitment: Hash | undefined;
  /** Its first output, where that is the wallet's. */
  readonly change: AnchorCoin | undefined;
}

/** What the Bitcoin node said. Known already, in the pool or in the chain, is success. */
export type BroadcastOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** `fee-too-low`: below what the node relays, or what replacing the variant it has asks for. */
      readonly code: "missing-inputs" | "fee-too-low" | "rejected";
      readonly message: string;
    };

/** Bitcoin, as the anchorer sees it. Calls throw when the node is not reachable. */
export interface AnchorPort {
  readonly network: BitcoinNetwork;
  /** Height of the best chain's tip. */
  tip(): Promise<number>;
  /** Display hash of the best chain's block at a height; null above the tip. */
  blockHash(height: number): Promise<string | null>;
  /** The block's bytes; null: unknown. */
  block(hash: string): Promise<Uint8Array | null>;
  /** Display txids of a block, in order. */
  txids(block: Uint8Array): readonly string[];
  /** When its miner says a block was made, in milliseconds since 1970. */
  timeMs(block: Uint8Array): number;
  /** The block's transaction that spends a coin; undefined: none does. */
  spendOf(block: Uint8Array, coin: Pick<AnchorCoin, "txid" | "vout">): AnchorSpend | undefined;
  /** A transaction of the block that looks like the wallet's anchor number 1; undefined: none does. */
  firstAnchor(block: Uint8Array): AnchorSpend | undefined;
  /** Display txid of the transaction that spends a coin and waits for a block; undefined: none, as far as is known. */
  spender(coin: AnchorCoin): Promise<string | undefined>;
  /** A first coin for the chain of anchors, confirmed; undefined: the wallet has none. */
  funding(): Promise<AnchorCoin | undefined>;
  /** Whether a transaction in a block spends the coin, or its own is in no block. */
  isSpent(coin: AnchorCoin): Promise<boolean>;
  /** Signs the anchor that spends `input` and carries `data` (40 bytes); the port chooses the fee. */
  sign(o: { readonly input: AnchorCoin; readonly data: Uint8Array }): Promise<SignedAnchor>;
  /** Signs a variant that may replace `previous`; undefined: the fee's cap is reached. `round` counts from 1. */
  bump(o: {
    readonly input: AnchorCoin;
    readonly data: Uint8Array;
    readonly previous: { readonly rawTx: Uint8Array; readonly feeSat: number };
    readonly round: number;
  }): Promise<SignedAnchor | undefined>;
  broadcast(rawTx: Uint8Array): Promise<BroadcastOutcome>;
}
