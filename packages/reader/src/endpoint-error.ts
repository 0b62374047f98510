/** Why an endpoint's answer cannot be used. Owns the codes and what may be said of a stranger's text. */

/**
 * - `unreachable`: no connection, no answer in time
 * - `http-status`: an HTTP error without a JSON body
 * - `redirect`: sent elsewhere
 * - `too-large`, `too-deep`: beyond the bounds
 * - `not-json`: no JSON, or no JSON-RPC envelope
 * - `rpc-error`: the endpoint refused the call
 * - `missing`: it does not have what a node at its head should have; another one, or the same one later, may
 * - `disagreement`: endpoints contradict each other, or themselves
 * - `other-chain`: it serves another chain than the entry's
 * - `undecodable`: an answer of another shape than the chain's, or a header that does not hash to its hash
 */
export type EndpointErrorCode =
  | "unreachable"
  | "http-status"
  | "redirect"
  | "too-large"
  | "too-deep"
  | "not-json"
  | "rpc-error"
  | "missing"
  | "disagreement"
  | "other-chain"
  | "undecodable";

/** What is known of a failure beside its code. */
export interface EndpointErrorDetail {
  /** The endpoint asks to slow down (HTTP 429 or 503, JSON-RPC -32005, words of a quota). */
  readonly throttled?: boolean;
  /** No answer within the time, as opposed to no connection. */
  readonly timedOut?: boolean;
  /** HTTP status, or the code of a JSON-RPC error. */
  readonly status?: number;
  /** How long it asks to be left alone, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** The stranger's own error text, to be classified; never shown unless quoted. */
  readonly said?: string;
}

/** An answer that cannot be used. `message` holds no URL path, query or credential. */
export class EndpointError extends Error {
  readonly code: EndpointErrorCode;
  readonly throttled: boolean;
  readonly timedOut: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number;
  readonly said: string;

  constructor(code: EndpointErrorCode, message: string, detail: EndpointErrorDetail = {}) {
    super(message);
    this.name = "EndpointError";
    this.code = code;
    this.throttled = detail.throttled ?? false;
    this.timedOut = detail.timedOut ?? false;
    this.status = detail.status;
    this.retryAfterMs = detail.retryAfterMs ?? 0;
    this.said = detail.said ?? "";
  }
}

/** An answer of the wrong shape. */
export function undecodable(message: string): EndpointError {
  return new EndpointError("undecodable", message);
}
