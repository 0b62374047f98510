/**
 * Why a call to a Bitcoin node gave no result. `rpc`: the node answered with an error (its number is `rpcCode`);
 * `unauthorized`: wrong user or password; `busy`: the node has too many clients (503); `timeout`, `unreachable`,
 * `too-large`, `bad-answer`: no usable answer came.
 */
export type BitcoinRpcErrorCode =
  | "rpc"
  | "unauthorized"
  | "busy"
  | "timeout"
  | "unreachable"
  | "too-large"
  | "bad-answer";

/** A failed call. The message never holds the URL's credentials. */
export class BitcoinRpcError extends Error {
  readonly code: BitcoinRpcErrorCode;
  readonly method: string;
  /** The node's own error number, only with code `rpc`. */
  readonly rpcCode: number | undefined;
  constructor(o: { code: BitcoinRpcErrorCode; method: string; message: string; rpcCode?: number }) {
    super(`${o.method}: ${o.message}`);
    this.name = "BitcoinRpcError";
    this.code = o.code;
    this.method = o.method;
    this.rpcCode = o.rpcCode;
  }
}

/** Whether `error` is the node's error with one of these numbers. */
export function isRpcCode(error: unknown, ...codes: readonly number[]): error is BitcoinRpcError & { rpcCode: number } {
  return error instanceof BitcoinRpcError && error.rpcCode !== undefined && codes.includes(error.rpcCode);
}
