/** Owns what a handler knows of its caller, and how it answers. Structurally the types of `@cairn/jsonrpc`. */

/** A JSON message in three parts, the middle of which lies in the queues of many connections without copies. */
export interface SharedMessage {
  readonly head: string;
  /** UTF-8; nobody changes it any more. */
  readonly body: Uint8Array;
  readonly tail: string;
}

/** The sending side of a WebSocket connection. */
export interface CallSink {
  /** The connection: equal for all its calls. */
  readonly id: symbol;
  /** Sends a finished JSON message; `false`: the connection is gone. */
  notify(message: string | SharedMessage): boolean;
  /** Closes the connection, telling the peer why. */
  cut(reason: string): void;
  onClose(listener: () => void): () => void;
}

/** Where a call came from. */
export interface CallContext {
  readonly transport: "http" | "ws";
  readonly remoteAddress: string;
  readonly authorization?: string;
  readonly query?: string;
  /** Present over WebSocket only. */
  readonly subscriptions?: CallSink;
  readonly signal: AbortSignal;
}

/** Answer to a call; `json` and `data` are finished JSON texts. */
export type CallResult =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data?: string };
