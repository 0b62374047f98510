/**
 * One JSON-RPC call to a Bitcoin node over HTTP. Owns what Bitcoin Core and btcd need to agree: the envelope says
 * version 1.0, success is judged by the JSON and never by the status, trailing absent parameters are dropped.
 */
import { boundedText, httpEndpoint } from "./http-endpoint.ts";
import { BitcoinRpcError, type BitcoinRpcErrorCode } from "./rpc-error.ts";
import type { BitcoinRpcOptions } from "./types.ts";

/** Calls one method; the result as parsed JSON. Throws `BitcoinRpcError`. */
export type RpcCall = (method: string, params?: readonly unknown[]) => Promise<unknown>;

/** A caller for one node. Throws TypeError for a URL that is not http or https. */
export function createRpcTransport(options: BitcoinRpcOptions): RpcCall {
  const { timeoutMs = 10_000, maxBodyBytes = 16 * 1024 * 1024 } = options;
  const { url, headers } = httpEndpoint(options.url);
  const sent = { "content-type": "application/json", ...headers };
  let lastId = 0;
  return async (method, params = []) => {
    lastId += 1;
    const request = JSON.stringify({ jsonrpc: "1.0", id: lastId, method, params: withoutTrailingAbsent(params) });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const init = { method: "POST", headers: sent, body: request, signal, redirect: "error" } as const;
      const response = await fetch(url, init);
      const text = await boundedText(response, maxBodyBytes);
      if (text === undefined) throw failure("too-large", method, `answer above ${maxBodyBytes} bytes`);
      return readAnswer({ method, status: response.status, text });
    } catch (error) {
      throw asRpcError(error, method, signal.aborted);
    }
  };
}

function withoutTrailingAbsent(params: readonly unknown[]): readonly unknown[] {
  let length = params.length;
  while (length > 0 && (params[length - 1] === undefined || params[length - 1] === null)) length -= 1;
  return params.slice(0, length);
}

function readAnswer(o: { method: string; status: number; text: string }): unknown {
  if (o.status === 401 || o.status === 403)
    throw failure("unauthorized", o.method, "the node refused user and password");
  if (o.status === 503) throw failure("busy", o.method, "the node has too many clients");
  const answer = parseJson(o);
  if (typeof answer !== "object" || answer === null)
    throw failure("bad-answer", o.method, "no JSON object in the answer");
  const error: unknown = "error" in answer ? answer.error : undefined;
  if (error !== undefined && error !== null) throw nodeError(o.method, error);
  if (!("result" in answer)) throw failure("bad-answer", o.method, "neither result nor error in the answer");
  return answer.result;
}

function parseJson(o: { method: string; status: number; text: string }): unknown {
  try {
    return JSON.parse(o.text);
  } catch {
    throw failure("bad-answer", o.method, `HTTP ${o.status} without JSON`);
  }
}

function nodeError(method: string, error: unknown): BitcoinRpcError {
  const { code, message } = (typeof error === "object" ? error : {}) as { code?: unknown; message?: unknown };
  const rpcCode = typeof code === "number" ? code : 0;
  return new BitcoinRpcError({
    code: "rpc",
    method,
    rpcCode,
    message: typeof message === "string" ? message : "error",
  });
}

function asRpcError(error: unknown, method: string, timedOut: boolean): BitcoinRpcError {
  if (error instanceof BitcoinRpcError) return error;
  if (timedOut) return failure("timeout", method, "no answer in time");
  return failure("unreachable", method, "the node cannot be reached");
}

function failure(code: BitcoinRpcErrorCode, method: string, message: string): BitcoinRpcError {
  return new BitcoinRpcError({ code, method, message });
}
