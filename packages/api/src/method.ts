/**
 * Owns how a JSON-RPC method is declared, once: parameters with codecs, result, access, errors and a sentence. Server
 * validation, handlers' types, OpenRPC and the reference page derive from the declaration.
 */
import type { Codec, JsonSchema } from "./codec.ts";
import type { RpcErrorName } from "./errors.ts";

/** `private`: needs the bearer token. */
export type Access = "public" | "private";

/** One positional parameter. */
export interface Param<out T> {
  readonly name: string;
  readonly codec: Codec<unknown>;
  readonly optional: boolean;
  /** Decodes a value that is present. */
  decode(value: unknown): T;
  /** What an absent or null optional parameter stands for. */
  absent(): T;
}

/** The form of a result, for documents and clients. */
export interface ResultShape {
  readonly title: string;
  readonly schema: JsonSchema;
}

/** A method with a handler. */
export interface Method<out P extends readonly Param<unknown>[]> {
  readonly kind: "method";
  readonly params: P;
  readonly result: ResultShape;
  readonly access: Access;
  /** Beyond the errors of parameters and of private access. */
  readonly errors: readonly RpcErrorName[];
  readonly summary: string;
  /** Where the rule comes from. */
  readonly spec: string;
}

/** A method that always answers the same JSON text once its parameters are valid. */
export interface Constant {
  readonly kind: "constant";
  readonly params: readonly Param<unknown>[];
  /** Finished JSON text. */
  readonly json: string;
  readonly access: Access;
  readonly summary: string;
}

/** A known name that is not served: -32601 with the reason. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
}

/** One row of a method table. */
export type MethodEntry = Method<readonly Param<unknown>[]> | Constant | Refused;

/** Methods by their full names. */
export type MethodTable = Readonly<Record<string, MethodEntry>>;

/** A required parameter. */
export function required<T>(name: string, codec: Codec<T>): Param<T> {
  return {
    name,
    codec,
    optional: false,
    decode: (value) => codec.decode(value),
    absent() {
      throw new TypeError("a required parameter has no default");
    },
  };
}

/** A parameter that may be left out or null, and what it is then. */
export function optional<T, D>(name: string, codec: Codec<T>, fallback: D): Param<T | D> {
  return { name, codec, optional: true, decode: (value) => codec.decode(value), absent: () => fallback };
}

/** Declares a method with a handler. */
export function method<const P extends readonly Param<unknown>[]>(o: {
  readonly params: P;
  readonly result: ResultShape;
  readonly access?: Access;
  readonly errors?: readonly RpcErrorName[];
  readonly summary: string;
  readonly spec: string;
}): Method<P> {
  return { kind: "method", access: "public", errors: [], ...o };
}

/** Declares a method with a constant answer. */
export function constant(o: {
  readonly value: string | number | boolean | null | readonly never[];
  readonly summary: string;
  readonly params?: readonly Param<unknown>[];
  readonly access?: Access;
}): Constant {
  const { value, summary, params = [], access = "public" } = o;
  return { kind: "constant", params, json: JSON.stringify(value), access, summary };
}

/** Declares a known name that is not served. */
export function refused(reason: string): Refused {
  return { kind: "refused", reason };
}

/** The same refusal for many names. */
export function refusedAll<const N extends string>(names: readonly N[], reason: string): Readonly<Record<N, Refused>> {
  return Object.fromEntries(names.map((name) => [name, refused(reason)])) as Record<N, Refused>;
}
