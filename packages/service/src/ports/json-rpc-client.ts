/** A JSON-RPC 2.0 client over fetch: one call per request, bounded in time. Knows no method. */

/** The endpoint could not be reached, or answered no JSON-RPC. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
}

/** The endpoint answered with an error object. */
export class RpcCallError extends Error {
  override readonly name = "RpcCallError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Calls a method; resolves with its result. */
export type RpcCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Makes a client. `signal` ends calls in progress when the owner closes. */
export function createRpcCall(o: {
  readonly url: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): RpcCall {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const answer = await post(o, JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    if (typeof answer !== "object" || answer === null) throw new EndpointError(`${method}: no JSON-RPC answer`);
    if ("error" in answer && typeof answer.error === "object" && answer.error !== null) {
      const { code, message } = answer.error as { readonly code?: unknown; readonly message?: unknown };
      throw new RpcCallError(typeof code === "number" ? code : 0, String(message ?? "unknown error"));
    }
    if (!("result" in answer)) throw new EndpointError(`${method}: an answer without result`);
    return answer.result;
  };
}

async function post(
  o: { readonly url: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  body: string,
): Promise<unknown> {
  try {
    const response = await fetch(o.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.any([o.signal, AbortSignal.timeout(o.timeoutMs)]),
    });
    return await response.json();
  } catch (error) {
    throw new EndpointError("the node's JSON-RPC does not answer", { cause: error });
  }
}
