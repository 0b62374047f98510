/**
 * What the reader knows of a family of chains: which calls give head and block, where hash, number and parent sit in
 * the answers, and how the hash follows from the header where that is known. Owns the shape of the table's rows.
 */
import type { EndpointError } from "../endpoint-error.ts";
import type { HashSpelling, Json } from "../foreign-block.ts";
import type { MessageShape } from "../protobuf.ts";

/**
 * A call of a chain. In `params` (and in a REST `path`) these words stand for the height or for the result of `via`:
 * `{number}` (JSON number), `{decimal}`, `{hex}` (0x-hex), `{via}`.
 */
export interface CallRow {
  readonly transport: "rpc" | "get" | "post" | "grpc";
  /** Method, or path of a REST or gRPC call. */
  readonly method: string;
  readonly params?: Json;
  /** Where an answer says, in a text, why the call was refused. */
  readonly refusedAt?: string;
  /** Of a gRPC call: how its messages are written. */
  readonly message?: { readonly request: MessageShape; readonly response: MessageShape };
  /** Asked first; its result is `{via}`. */
  readonly via?: { readonly method: string; readonly params: Json };
}

/** A call and the pointer to the one value wanted of its answer. */
export interface ValueRow extends CallRow {
  readonly at: string;
}

/** The header as evidence: its bytes where the family's rule is known, else what the chain answered. */
export interface ProvenHeader {
  /** Its own hash, recomputed; undefined where the header is of a kind whose rule is not known. */
  readonly hash: string | undefined;
  /** 0x-hex of the bytes that are hashed, or the fields themselves. */
  readonly header: Json;
}

/** How the chains of a family answer: calls, places of values, proof of the hash. */
export interface FamilyRow {
  readonly name: string;
  /** As people call it, with examples of chains. */
  readonly title: string;
  /** Methods (field 5 of an entry) that select it. */
  readonly methods: readonly string[];
  readonly head: ValueRow;
  /** Heights of the chain's own finality tags. */
  readonly tags: { readonly finalized?: ValueRow; readonly safe?: ValueRow };
  readonly block: CallRow;
  /** Where the hash sits; `{via}`: it is the result of `via`. */
  readonly hash: string;
  readonly spelling: HashSpelling;
  /** Undefined where the answer does not tell (Solana's slots). */
  readonly number: string | undefined;
  readonly parent: string | undefined;
  /** Where heights may be skipped: the parent's height. */
  readonly parentNumber?: string;
  /** The chain's identity: its EVM chain id, its name, the hash of its first block. */
  readonly identity: { readonly chainId?: ValueRow; readonly network?: ValueRow; readonly genesis?: ValueRow };
  /** Errors that say: there is no block at this height and never will be. */
  readonly skipped?: (error: EndpointError) => boolean;
  /** Errors that say: this node does not have the block (yet). */
  readonly missing?: (error: EndpointError) => boolean;
  /** Recomputes the hash. Throws `undecodable`. `block` is the whole answer. */
  readonly prove?: (block: unknown) => ProvenHeader;
  /** One sentence on the hash, for the reference page. */
  readonly hashRule: string;
  /** Only the newest block can be read: blocks between two polls are missed. */
  readonly headOnly?: boolean;
}
