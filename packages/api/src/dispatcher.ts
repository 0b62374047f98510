/**
 * Owns answering a call from the tables: is the name served, may the caller, are the parameters valid; then the
 * handler, and its errors in wire form. Transports are `@cairn/jsonrpc`'s, meanings the handlers'.
 */
import { CodecError, WholeCodecError } from "./codec.ts";
import type { CallContext, CallResult } from "./context.ts";
import { RpcError, rpcError } from "./errors.ts";
import type { Access, Method, MethodTable, Param } from "./method.ts";

/** The values a handler gets for the parameters of a method. */
export type Decoded<P extends readonly Param<unknown>[]> = {
  readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

/** A handler answers finished JSON text, or throws `RpcError`. */
export type Handler<P extends readonly Param<unknown>[]> = (
  params: Decoded<P>,
  context: CallContext,
) => Promise<string> | string;

type MethodNames<T extends MethodTable> = {
  [K in keyof T]: T[K] extends Method<readonly Param<unknown>[]> ? K : never;
}[keyof T];

/** The handlers a table needs: one for every `method` in it. */
export type Handlers<T extends MethodTable> = {
  readonly [K in MethodNames<T>]: T[K] extends Method<infer P> ? Handler<P> : never;
};

/** The handlers of all tables by namespace; a namespace without methods needs none. */
export type NamespaceHandlers<T extends Readonly<Record<string, MethodTable>>> = {
  readonly [N in keyof T as [MethodNames<T[N]>] extends [never] ? never : N]: Handlers<T[N]>;
};

/** Answers one call. Never rejects and never throws. */
export type Dispatcher = (name: string, params: unknown, context: CallContext) => Promise<CallResult> | CallResult;

/** What a dispatcher is made of. */
export interface DispatcherOptions<T extends Readonly<Record<string, MethodTable>>> {
  readonly tables: T;
  readonly handlers: NamespaceHandlers<T>;
  /** Namespaces to serve; `rpc` always is. */
  readonly namespaces: readonly string[];
  /** Whether the caller may use private methods. */
  authorize(context: CallContext): boolean;
  /** Told of faults of handlers; the caller only learns `internal error`. */
  onFault?(error: unknown, method: string): void;
}

interface Served {
  readonly params: readonly Param<unknown>[];
  readonly access: Access;
  run(params: readonly unknown[], context: CallContext): Promise<string> | string;
}

type Route = Served | { readonly refusal: string };

/** Longest method name repeated in an error. */
const MAX_ECHO = 256;

function buildRoutes<T extends Readonly<Record<string, MethodTable>>>(o: DispatcherOptions<T>): Map<string, Route> {
  const routes = new Map<string, Route>();
  const handlersOf = o.handlers as Readonly<Record<string, Readonly<Record<string, Handler<never>>> | undefined>>;
  for (const [namespace, table] of Object.entries(o.tables)) {
    const enabled = namespace === "rpc" || o.namespaces.includes(namespace);
    for (const [name, entry] of Object.entries(table)) {
      if (entry.kind === "refused") {
        routes.set(name, { refusal: entry.reason });
      } else if (enabled && entry.kind === "constant") {
        routes.set(name, { params: entry.params, access: entry.access, run: () => entry.json });
      } else if (enabled && entry.kind === "method") {
        const handler = handlersOf[namespace]?.[name];
        if (handler === undefined) throw new TypeError(`no handler for ${name}`);
        const run = handler as Served["run"];
        routes.set(name, { params: entry.params, access: entry.access, run });
      }
    }
  }
  return routes;
}

function decodeParams(params: readonly Param<unknown>[], given: unknown): unknown[] {
  const values = given ?? [];
  if (!Array.isArray(values)) throw rpcError("non-array-params", {});
  if (values.length > params.length) throw rpcError("too-many-arguments", { most: params.length });
  return params.map((param, index) => {
    const value: unknown = values[index];
    if (value === undefined || value === null) {
      if (param.optional) return param.absent();
      throw rpcError("missing-argument", { index });
    }
    try {
      return param.decode(value);
    } catch (error) {
      if (error instanceof WholeCodecError) throw rpcError("invalid-storage-key", { fault: error.message });
      throw error instanceof CodecError ? rpcError("invalid-argument", { index, fault: error.message }) : error;
    }
  });
}

function failure(error: RpcError): CallResult {
  const { code, message, data } = error;
  return { ok: false, code, message, ...(data === undefined ? {} : { data }) };
}

/** A dispatcher over tables and handlers, for `createJsonRpcServer`. */
export function createDispatcher<T extends Readonly<Record<string, MethodTable>>>(o: DispatcherOptions<T>): Dispatcher {
  const routes = buildRoutes(o);
  const mapError = (error: unknown, name: string): CallResult => {
    if (error instanceof RpcError) return failure(error);
    o.onFault?.(error, name);
    return failure(rpcError("internal", {}));
  };
  return (name, params, context) => {
    const route = routes.get(name);
    const shown = name.slice(0, MAX_ECHO);
    if (route === undefined) return failure(rpcError("unknown-method", { method: shown }));
    if ("refusal" in route) return failure(rpcError("refused-method", { method: shown, reason: route.refusal }));
    try {
      if (route.access === "private" && !o.authorize(context)) return failure(rpcError("unauthorized", {}));
      const answer = route.run(decodeParams(route.params, params), context);
      if (!(answer instanceof Promise)) return { ok: true, json: answer };
      return answer.then(
        (json): CallResult => ({ ok: true, json }),
        (error: unknown) => mapError(error, name),
      );
    } catch (error) {
      return mapError(error, name);
    }
  };
}
