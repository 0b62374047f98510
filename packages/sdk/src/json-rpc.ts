/** Calls of the chain node's JSON-RPC that the wallet needs. Signs nothing. */
import { type Hex, parseQuantity } from "@cairn/primitives";

/** The node answered with an error, or not at all. */
export class NodeRefused extends Error {
  override readonly name = "NodeRefused";
  /** JSON-RPC code; undefined when the node did not answer. */
  readonly code: number | undefined;
  /** What a call reverted with, 0x-hex. */
  readonly data: unknown;
  constructor(message: string, code?: number, options?: ErrorOptions & { readonly data?: unknown }) {
    super(message, options);
    this.code = code;
    this.data = options?.data;
  }
}

/** A caller of one node. */
export interface NodeClient {
  call<T>(method: string, ...params: readonly unknown[]): Promise<T>;
  quantity(method: string, ...params: readonly unknown[]): Promise<bigint>;
}

const TIMEOUT_MS = 15_000;

/** Makes a caller. Rejects with `NodeRefused`. */
export function createNodeClient(o: { readonly url: string; readonly fetch?: typeof globalThis.fetch }): NodeClient {
  const send = o.fetch ?? globalThis.fetch;
  const call = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const reply = await answer(send, o.url, body);
    if (reply.error !== undefined) {
      const { code, message, data } = reply.error;
      throw new NodeRefused(`${method}: ${message}`, code, { data });
    }
    return reply.result as T;
  };
  return { call, quantity: async (method, ...params) => parseQuantity(await call<Hex>(method, ...params)) };
}

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function answer(send: typeof globalThis.fetch, url: string, body: string): Promise<Reply> {
  try {
    const headers = { "content-type": "application/json" };
    const response = await send(url, { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await response.json()) as Reply;
  } catch (cause) {
    throw new NodeRefused("the chain node does not answer", undefined, { cause });
  }
}
