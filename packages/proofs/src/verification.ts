/** What verifying a receipt takes and gives: trust from outside, one report per link, the verdict. */

/** Names of the links a receipt is checked by, in order. */
export type LinkName =
  | "canonical-json"
  | "leaf"
  | "batch-path"
  | "batch-header"
  | "transaction-trie"
  | "receipt-trie"
  | "settlement-log"
  | "block-header"
  | "consensus-header"
  | "commit-signatures"
  | "anchor-path"
  | "op-return"
  | "transaction-branch"
  | "coinbase-height"
  | "proof-of-work"
  | "best-chain";

/** One line of a verification. `ok: null`: cannot be decided without trust from outside, or not there yet. */
export interface LinkReport {
  readonly name: LinkName;
  readonly ok: boolean | null;
  /** What was checked, or why it failed. */
  readonly checked: string;
  readonly restsOn: string;
}

/** `proven`; `untrusted`: every link holds and a trust root is missing; `false`; `unreadable`: no receipt. */
export type VerificationResult = "proven" | "untrusted" | "false" | "unreadable";

/** What verification found, link by link. */
export interface Verification {
  readonly result: VerificationResult;
  /** 0 proven, 1 false, 2 unreadable, 3 untrusted. */
  readonly exitCode: 0 | 1 | 2 | 3;
  readonly links: readonly LinkReport[];
  /** The link that failed. */
  readonly failed?: LinkName;
  /** What trust was not given, one line each. */
  readonly missing: readonly string[];
}

/** What a Bitcoin node said about the receipt's height. */
export interface BestChainAnswer {
  readonly kind: "node";
  /** Display hash of block 0. */
  readonly genesisHash: string;
  /** Display hash of the block at the receipt's height; null: above the tip. */
  readonly blockHash: string | null;
  readonly tip: number;
  /** Confirmations required; 1 when absent. */
  readonly minimumDepth?: number;
}

/** A block known from elsewhere to be in the best chain. */
export interface BitcoinCheckpoint {
  readonly kind: "checkpoint";
  readonly height: number;
  /** Display order. */
  readonly hash: string;
}

/** Trust comes from outside the receipt. Every member may be absent. */
export interface Trust {
  /** Hashes of validator sets that are trusted (32 bytes, any hex case, with or without 0x). */
  readonly validatorsHashes?: readonly string[];
  /** Trusted Ethereum block hash of the settlement's block, or consensus block hash of the height after it. */
  readonly blockHashes?: readonly string[];
  readonly bitcoin?: BestChainAnswer | BitcoinCheckpoint;
}
