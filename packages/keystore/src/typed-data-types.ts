/** Owns the struct types of typed data (EIP-712): checking them and their text form, `encodeType`. */

/** A document that is no typed data; the message names where, never a value. */
export class TypedDataError extends Error {
  override readonly name = "TypedDataError";
}

/** One field of a struct. */
export interface StructField {
  readonly name: string;
  readonly type: string;
}

/** Struct types by name. */
export type StructTypes = ReadonlyMap<string, readonly StructField[]>;

const MAX_TYPES = 256;
const MAX_FIELDS = 1024;
const NAME = /^[A-Za-z_$][\w$]{0,255}$/;
const ARRAYS = /^((?:\[\d{0,9}\]){0,8})$/;
const ATOM = /^(?:address|bool|string|bytes|bytes(?:[1-9]|[12]\d|3[0-2])|u?int(?:\d{1,3}))$/;

function isAtom(type: string): boolean {
  const [, bits] = /^u?int(\d+)$/.exec(type) ?? [];
  if (bits !== undefined) return Number(bits) % 8 === 0 && Number(bits) >= 8 && Number(bits) <= 256;
  return ATOM.test(type);
}

function baseOf(type: string): string {
  const bracket = type.indexOf("[");
  return bracket < 0 ? type : type.slice(0, bracket);
}

function fieldOf(value: unknown, struct: string): StructField {
  if (typeof value !== "object" || value === null) throw new TypedDataError(`types.${struct}: a field is no object`);
  const { name, type } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name.length > 256) throw new TypedDataError(`types.${struct}: a field without name`);
  if (typeof type !== "string" || type.length > 512) throw new TypedDataError(`types.${struct}: a field without type`);
  return { name, type };
}

function checkReference({ type }: StructField, struct: string, names: ReadonlySet<string>): void {
  const base = baseOf(type);
  const isKnown = names.has(base) || isAtom(base);
  if (!isKnown || !ARRAYS.test(type.slice(base.length))) throw new TypedDataError(`types.${struct}: unknown type`);
}

/** The struct types of a document's `types`. */
export function structTypes(types: Readonly<Record<string, unknown>>): StructTypes {
  const entries = Object.entries(types);
  if (entries.length > MAX_TYPES) throw new TypedDataError("too many types");
  const names = new Set(entries.map(([name]) => name));
  return new Map(
    entries.map(([name, fields]) => {
      if (!NAME.test(name) || isAtom(name)) throw new TypedDataError("a struct's name is no identifier");
      if (!Array.isArray(fields)) throw new TypedDataError(`types.${name} is no array`);
      if (fields.length > MAX_FIELDS) throw new TypedDataError(`types.${name}: too many fields`);
      const parsed = fields.map((field: unknown) => fieldOf(field, name));
      for (const field of parsed) checkReference(field, name, names);
      return [name, parsed] as const;
    }),
  );
}

function referenced(types: StructTypes, name: string, found: Set<string>): Set<string> {
  if (found.has(name) || !types.has(name)) return found;
  found.add(name);
  for (const { type } of types.get(name) ?? []) referenced(types, baseOf(type), found);
  return found;
}

/** `Name(type name,…)` of a struct, followed by the structs it refers to in the order of their names. */
export function typeText(types: StructTypes, name: string): string {
  const [, ...others] = referenced(types, name, new Set());
  return [name, ...others.sort()]
    .map((struct) => `${struct}(${(types.get(struct) ?? []).map((field) => `${field.type} ${field.name}`).join(",")})`)
    .join("");
}
