/** Running again what is committed, or what is not, under a tracer. */
import type { Hash } from "@cairn/primitives";
import type { NotAdmitted } from "./admission.ts";
import type { BlockRef } from "./block.ts";
import type { BlockOverrides, Message, StateOverrides } from "./message.ts";

/** Options of a trace, as geth names them; see `debug_traceTransaction`. */
export interface TraceOptions {
  /** Beside geth's: `replayTracer`, Parity's traces, whose config is the list of what is wanted. */
  readonly tracer?: string;
  readonly tracerConfig?: Readonly<Record<string, unknown>> | readonly string[];
  readonly timeoutMs?: number;
  readonly enableMemory?: boolean;
  readonly disableStack?: boolean;
  readonly disableStorage?: boolean;
  readonly enableReturnData?: boolean;
  readonly limit?: number;
}

/** One of several messages. */
export interface TracedCall {
  readonly call: Message;
  readonly options: TraceOptions;
}

/** What to run again: a committed transaction, a block, or messages that are no committed transactions. */
export type TraceRequest =
  | { readonly kind: "transaction"; readonly hash: Hash; readonly options: TraceOptions }
  | { readonly kind: "block"; readonly block: BlockRef; readonly options: TraceOptions }
  | {
      /** A block in geth's standard form; the answer is the empty array. */
      readonly kind: "files";
      readonly block: BlockRef;
      /** An empty file per transaction; an empty name: not traced. */
      readonly files: readonly string[];
      readonly options: TraceOptions;
    }
  | {
      readonly kind: "call";
      readonly call: Message;
      readonly block: BlockRef;
      /** On the state before this transaction of the block instead of after the block. */
      readonly txIndex?: number;
      readonly stateOverrides?: StateOverrides;
      readonly blockOverrides?: BlockOverrides;
      readonly options: TraceOptions;
    }
  /** Each message on what the ones before left; the answer is an array. */
  | { readonly kind: "calls"; readonly calls: readonly TracedCall[]; readonly block: BlockRef }
  | { readonly kind: "raw"; readonly raw: Uint8Array; readonly block: BlockRef; readonly options: TraceOptions };

/** `failed`: the trace could not be made; `options`: something in the request is not usable. `reason` says what. */
export type TraceOutcome =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly code: "unknown-block" | "unknown-transaction" | "genesis" | "options" | "failed";
      readonly reason: string;
    }
  /** The transaction is not admissible, whatever the state. */
  | { readonly ok: false; readonly code: "refused"; readonly reason: string; readonly refusal: NotAdmitted };
