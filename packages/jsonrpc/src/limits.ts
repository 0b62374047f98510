/** Owns the limits of the server and their defaults: geth's where it has one. */

/** Bounds on what a peer may ask for; times in milliseconds, sizes in bytes. */
export interface Limits {
  /** Request body or WebSocket message. HTTP 413, WebSocket close 1009. */
  readonly bodyBytes: number;
  /** Nesting of a request's JSON. */
  readonly jsonDepth: number;
  readonly batchItems: number;
  /** Sum of the results of a batch; further calls answer -32003. */
  readonly batchResponseBytes: number;
  /** Calls of a batch running at once, while their results are small; large ones run a sixteenth of it. */
  readonly batchConcurrency: number;
  /** Request bodies held at once by all HTTP connections; above, HTTP 503. */
  readonly bodiesBytes: number;
  /**
   * Replies being made, and those that HTTP peers have not read yet, all together; above, the connection that holds most
   * is cut.
   */
  readonly repliesBytes: number;
  /** Receiving a request. */
  readonly readTimeoutMs: number;
  /** Answering a call; then -32002. */
  readonly callTimeoutMs: number;
  /** A kept-alive connection without a request. */
  readonly idleTimeoutMs: number;
  /** Open connections per listener; 0 for no limit. */
  readonly connections: number;
  /** Unsent bytes of one WebSocket connection; above, it is cut with close code 1013. */
  readonly wsQueueBytes: number;
  /** Unsent bytes of all WebSocket connections; above, those with more than 64 KiB are cut likewise. */
  readonly wsQueuesBytes: number;
  /** Unanswered messages of one WebSocket connection; above, it is read no further until some are answered. */
  readonly wsCallsInFlight: number;
  /** Bytes of those messages; above likewise. */
  readonly wsBytesInFlight: number;
  readonly wsPingIntervalMs: number;
  /** What close() waits for calls in progress before it cuts connections. */
  readonly closeGraceMs: number;
}

/** The defaults. */
export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 5 * 1024 * 1024,
  jsonDepth: 128,
  batchItems: 1000,
  batchResponseBytes: 25_000_000,
  batchConcurrency: 256,
  bodiesBytes: 256 * 1024 * 1024,
  repliesBytes: 256 * 1024 * 1024,
  readTimeoutMs: 30_000,
  callTimeoutMs: 30_000,
  idleTimeoutMs: 120_000,
  connections: 4096,
  wsQueueBytes: 16 * 1024 * 1024,
  wsQueuesBytes: 512 * 1024 * 1024,
  wsCallsInFlight: 1000,
  wsBytesInFlight: 16 * 1024 * 1024,
  wsPingIntervalMs: 30_000,
  closeGraceMs: 500,
};
