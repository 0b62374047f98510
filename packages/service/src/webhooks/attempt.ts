/** One attempt at a delivery over HTTP. Follows no redirect, reads no answer, gives up after its time. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import {
  checkedLookup,
  isAllowedAddress,
  literalHost,
  type ReceiverRule,
  RefusedAddressError,
} from "./receiver-address.ts";

/** What came of an attempt. `gone`: the receiver wants no more (410). */
export type AttemptOutcome =
  | { readonly kind: "delivered"; readonly status: number }
  | {
      readonly kind: "failed" | "gone";
      readonly error: AttemptError;
      readonly status?: number;
      readonly retryAfterMs?: number;
    };

/** Why an attempt failed, as its owner sees it. */
export type AttemptError =
  | "status"
  | "redirect"
  | "timeout"
  | "address-refused"
  | "name-not-resolved"
  | "tls"
  | "connection"
  | "fault-switch";

/** What is sent. */
export interface Attempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends. Never throws. */
export type SendAttempt = (attempt: Attempt, signal: AbortSignal) => Promise<AttemptOutcome>;

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

/** Sends to receivers that the rule allows. */
export function createSendAttempt(o: {
  readonly rule: ReceiverRule;
  readonly timeoutMs: number;
  readonly userAgent: string;
}): SendAttempt {
  const lookup = checkedLookup(o.rule);
  return ({ url: text, headers, body }, signal) => {
    const url = new URL(text);
    const literal = literalHost(url);
    if (literal !== undefined && !isAllowedAddress(o.rule, literal)) {
      return Promise.resolve({ kind: "failed", error: "address-refused" });
    }
    const bytes = Buffer.from(body);
    const time = AbortSignal.timeout(o.timeoutMs);
    const options: RequestOptions = {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": o.userAgent,
        connection: "close",
      },
      agent: false,
      lookup,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.any([signal, time]),
    };
    return new Promise((resolve) => {
      const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options);
      sent.on("response", (response) => {
        resolve(outcomeOf(response));
        drain(response);
      });
      sent.on("error", (error) => resolve({ kind: "failed", error: time.aborted ? "timeout" : errorOf(error) }));
      sent.end(bytes);
    });
  };
}

/** Lets a short answer end in peace; a long or slow one is cut. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on("error", () => {});
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "gone", error: "status", status };
  const error = status >= 300 && status < 400 ? "redirect" : "status";
  const seconds = /^\d{1,6}$/.exec(headers["retry-after"] ?? "")?.[0];
  return { kind: "failed", error, status, ...(seconds === undefined ? {} : { retryAfterMs: Number(seconds) * 1_000 }) };
}

function errorOf(error: Error & { readonly code?: string; readonly syscall?: string }): AttemptError {
  if (error instanceof RefusedAddressError) return "address-refused";
  if (error.syscall === "getaddrinfo") return "name-not-resolved";
  return /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(error.code ?? "")
    ? "tls"
    : "connection";
}
