/** A chain the reader follows: one element of `block_fetch_params`, validated. */
import type { Hex } from "@cairn/primitives";
import type { ChainIdentity } from "../block-source.ts";
import type { CrossCheck } from "../cross-check.ts";
import type { EventSpec } from "../events/event-spec.ts";
import type { FamilyRow } from "../families/family.ts";
import type { Finality } from "../finality.ts";
import type { ProofReference } from "../proof-reference.ts";

/** What entries of every kind say. */
interface EntryBase {
  /** Lower-case `[a-z0-9-]+`; names the cursor file. */
  readonly name: string;
  /** Unique in the list: the name, with `contract:` in front for contract entries. */
  readonly key: string;
  /** The id of the chain behind the URL. */
  readonly chainId: number;
  /** First the entry's own URL, then further ones to compare with and fail over to. */
  readonly endpoints: readonly string[];
  /** Sent as a header on every call; never logged. */
  readonly auth: { readonly header: string; readonly value: string } | undefined;
  readonly crossCheck: CrossCheck;
  /** Compared with what the chain says of itself, beside the chain id. */
  readonly expected: ChainIdentity;
  readonly finality: Finality;
  readonly pollMs: number;
  readonly start: "head" | bigint;
  readonly requestPauseMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Chain id to submit under. */
  readonly submitAs: string;
  /** Digest of the record as given: an entry of the same digest is the same entry. */
  readonly digest: string;
}

/** Blocks by a JSON-RPC or REST method. */
export interface RpcEntry extends EntryBase {
  readonly kind: "rpc";
  readonly method: string;
  readonly family: FamilyRow;
  readonly hashCheck: boolean;
  /** Each Nth block is submitted; all are followed. */
  readonly every: number;
  readonly proof: ProofReference | undefined;
}

/** Roots from a contract's events. */
export interface ContractEntry extends EntryBase {
  readonly kind: "contract";
  readonly address: Hex;
  readonly event: EventSpec;
  readonly hashCheck: boolean;
  /** Most blocks of one `eth_getLogs`. */
  readonly maxRange: number;
  readonly proof: ProofReference | undefined;
}

/** Blocks by an adapter: a module that exports `createSource(entry)`. */
export interface SdkEntry extends EntryBase {
  readonly kind: "sdk";
  readonly method: string;
  readonly adapter: { readonly builtin: BuiltinAdapter } | { readonly module: string };
  /** Of option `settings`: passed to the adapter as given. */
  readonly settings: unknown;
  readonly every: number;
}

/** Kinds of ingestion (specification: proof-service, "Chain fetch entry"). */
export type Entry = RpcEntry | ContractEntry | SdkEntry;

/** Adapters that are part of the reader. */
export const BUILTIN_ADAPTERS = ["celestia", "avail", "substrate"] as const;

/** One of them. */
export type BuiltinAdapter = (typeof BUILTIN_ADAPTERS)[number];
