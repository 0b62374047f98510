/** Owns what a parameter codec is: the wire form's JSON Schema and a strict decoder. Not any particular type. */

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Decodes the parsed JSON of one parameter. `decode` throws `CodecError`, never anything else. */
export interface Codec<out T> {
  /** Name in reference pages. */
  readonly title: string;
  readonly schema: JsonSchema;
  decode(value: unknown): T;
}

/** A value that is not of the codec's form. The message ends up in -32602 `invalid argument N: …`, or alone. */
export class CodecError extends Error {
  override readonly name: string = "CodecError";
}

/** A fault that geth tells without naming the argument. */
export class WholeCodecError extends CodecError {
  override readonly name = "WholeCodecError";
}

/** A plain JSON object (no array, not null). */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new CodecError("expected an object");
  return value as Readonly<Record<string, unknown>>;
}

/** One member of an object; absent and `null` are `undefined`. Faults name the member. */
export function member<T>(object: Readonly<Record<string, unknown>>, name: string, codec: Codec<T>): T | undefined {
  // Inherited names ("constructor", …) are no members.
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined || value === null) return undefined;
  try {
    return codec.decode(value);
  } catch (error) {
    throw error instanceof CodecError ? new CodecError(`${name}: ${error.message}`) : error;
  }
}

/** An array of at most `most` items. */
export function arrayOf<T>(item: Codec<T>, most: number): Codec<readonly T[]> {
  return {
    title: `array of ${item.title}`,
    schema: { type: "array", items: item.schema, maxItems: most },
    decode(value) {
      if (!Array.isArray(value)) throw new CodecError("expected an array");
      if (value.length > most) throw new CodecError(`too many items: at most ${most}`);
      return value.map((entry) => item.decode(entry));
    },
  };
}
