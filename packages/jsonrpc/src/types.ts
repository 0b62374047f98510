/** Owns the types between the transports of this package and whoever answers the calls. */

/**
 * Answer to one call. `json` and `data` are finished JSON texts and are spliced into the reply unparsed; the caller
 * vouches that they are valid.
 */
export type RpcResult =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data?: string };

/** A JSON message in three parts, the middle of which lies in the queues of many connections without copies. */
export interface SharedMessage {
  readonly head: string;
  /** UTF-8; nobody changes it any more. */
  readonly body: Uint8Array;
  readonly tail: string;
}

/** The sending side of one WebSocket connection, for subscriptions made by a call. */
export interface SubscriptionSink {
  /** The connection: equal for all its calls. */
  readonly id: symbol;
  /**
   * Sends a finished JSON message; held back until the reply to the call that was given this sink is out. `false`:
   * the connection is closed or was cut as too slow, and the subscription ends.
   */
  notify(message: string | SharedMessage): boolean;
  /** Closes the connection with 1013 and this reason. */
  cut(reason: string): void;
  /** Called once when the connection ends, at once when it already has; the returned function takes it back. */
  onClose(listener: () => void): () => void;
}

/** Where a call came from. */
export interface RpcContext {
  readonly transport: "http" | "ws";
  /** IP address of the peer. */
  readonly remoteAddress: string;
  /** The `Authorization` header of the request or of the WebSocket upgrade. */
  readonly authorization?: string;
  /** Query string of the URL without `?`, when there is one. */
  readonly query?: string;
  /** Present over WebSocket only. */
  readonly subscriptions?: SubscriptionSink;
  /** Aborted when the peer goes away, the call times out or the server closes. */
  readonly signal: AbortSignal;
}

/** Answers one call. `params` is the parsed value of the request: an array, an object or `undefined`. */
export type Dispatch = (method: string, params: unknown, context: RpcContext) => Promise<RpcResult> | RpcResult;

/** The logger this package writes to. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
