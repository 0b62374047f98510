/** Owns the OpenRPC document derived from the method tables. */
import { type RpcErrorName, rpcErrors } from "./errors.ts";
import type { Constant, Method, MethodTable, Param } from "./method.ts";

interface Described {
  readonly name: string;
  readonly entry: Method<readonly Param<unknown>[]> | Constant;
}

function errorObjects(names: readonly RpcErrorName[]): object[] {
  return names.map((name) => ({ code: rpcErrors[name].code, message: rpcErrors[name].text }));
}

function describe({ name, entry }: Described): object {
  const errors = entry.kind === "method" ? errorObjects(entry.errors) : [];
  const result =
    entry.kind === "method"
      ? { name: entry.result.title, schema: entry.result.schema }
      : { name: "constant", schema: { const: JSON.parse(entry.json) as unknown } };
  return {
    name,
    summary: entry.summary,
    params: entry.params.map((param) => ({ name: param.name, required: !param.optional, schema: param.codec.schema })),
    result,
    ...(errors.length > 0 ? { errors } : {}),
    "x-access": entry.access,
  };
}

/** The OpenRPC 1.3 document of all methods that are served; plain data. */
export function openRpcDocument(tables: Readonly<Record<string, MethodTable>>, version: string): object {
  const methods: object[] = [];
  for (const table of Object.values(tables)) {
    for (const [name, entry] of Object.entries(table)) {
      if (entry.kind !== "refused") methods.push(describe({ name, entry }));
    }
  }
  return { openrpc: "1.3.2", info: { title: "Cairn JSON-RPC", version }, methods };
}
