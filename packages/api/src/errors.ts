/**
 * Owns the catalogue of JSON-RPC errors: code, text and meaning of each. Texts are geth's where geth has the case, so
 * that clients which match on them work; `{name}` is filled in. Everything on the wire is made by `rpcError`.
 */
import { accountErrors } from "./errors/account.ts";
import { callErrors } from "./errors/call.ts";
import { debugErrors } from "./errors/debug.ts";
import { readErrors } from "./errors/read.ts";
import { requestErrors } from "./errors/request.ts";
import { traceErrors } from "./errors/trace.ts";
import { transactionErrors } from "./errors/transaction.ts";

interface CatalogueEntry {
  readonly code: number;
  readonly text: string;
  readonly when: string;
}

/** The catalogue, by name. */
export const rpcErrors = {
  ...requestErrors,
  ...readErrors,
  ...traceErrors,
  ...callErrors,
  ...transactionErrors,
  ...accountErrors,
  ...debugErrors,
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Name of an error in the catalogue. */
export type RpcErrorName = keyof typeof rpcErrors;

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Filling = string | number | bigint;

/** What must be filled into an error's text. */
export type RpcErrorValues<N extends RpcErrorName> = {
  readonly [P in Placeholders<(typeof rpcErrors)[N]["text"]>]: Filling;
};

/** An error as it goes over the wire. `data` is finished JSON text. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function fill(text: string, values: Readonly<Record<string, Filling>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** An error of the catalogue with its text filled in. `data` is finished JSON text. */
export function rpcError<N extends RpcErrorName>(name: N, values: RpcErrorValues<N>, data?: string): RpcError {
  const { code, text } = rpcErrors[name];
  return new RpcError(code, fill(text, values), data);
}
