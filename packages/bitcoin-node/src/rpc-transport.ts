/**
 * One JSON-RPC call to a Bitcoin node over HTTP. Owns what Bitcoin Core and btcd need to agree: the envelope says
 * version 1.0, success is judged by the JSON and never by the status, trailing absent parameters are dropped.
 */
import { BitcoinRpcError, type BitcoinRpcErrorCode } from "./rpc-error.ts";
import type { BitcoinRpcOptions } from "./types.ts";

/** Calls one method; the result as parsed JSON. Throws `BitcoinRpcError`. */
export type RpcCall = (method: string, params?: readonly unknown[]) => Promise<unknown>;

/** A caller for one node. Throws TypeError for a URL that is not http or https. */
export function createRpcTransport(options: BitcoinRpcOptions): RpcCall {
  const { timeoutMs = 10_000, maxBodyBytes = 16 * 1024 * 1024 } = options;
  const target = parseTarget(options.url);
  let lastId = 0;
  return async (method, params = []) => {
    lastId += 1;
    const request = JSON.stringify({ jsonrpc: "1.0", id: lastId, method, params: withoutTrailingAbsent(params) });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const init = { method: "POST", headers: target.headers, body: request, signal, redirect: "error" } as const;
      const response = await fetch(target.url, init);
      const text = await boundedText(response, maxBodyBytes, method);
      return readAnswer({ method, status: response.status, text });
    } catch (error) {
      throw asRpcError(error, method, signal.aborted);
    }
  };
}

function parseTarget(text: string): { url: string; headers: Record<string, string> } {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError("a Bitcoin node URL is http or https");
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (url.username !== "" || url.password !== "") {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
  }
  url.username = "";
  url.password = "";
  return { url: url.href, headers };
}

function withoutTrailingAbsent(params: readonly unknown[]): readonly unknown[] {
  let length = params.length;
  while (length > 0 && (params[length - 1] === undefined || params[length - 1] === null)) length -= 1;
  return params.slice(0, length);
}

async function boundedText(response: Response, maxBodyBytes: number, method: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBodyBytes) throw failure("too-large", method, `answer above ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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
