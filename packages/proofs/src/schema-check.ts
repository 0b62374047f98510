/** A checker for the part of JSON Schema that `receipt-schema.ts` uses. Every keyword it meets is understood. */

/** The keywords in use. */
export interface Schema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "null";
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The first fault. `pointer` is a JSON Pointer (RFC 6901). */
export interface SchemaFault {
  readonly pointer: string;
  readonly fault: string;
}

/** Checks a value; undefined: it conforms. */
export function checkSchema(schema: Schema, value: unknown, pointer = ""): SchemaFault | undefined {
  if (schema.anyOf !== undefined) return checkAny(schema.anyOf, value, pointer);
  if ("const" in schema && value !== schema.const) return { pointer, fault: `must be ${JSON.stringify(schema.const)}` };
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return { pointer, fault: `must be one of ${schema.enum.join(", ")}` };
  }
  switch (schema.type) {
    case "object":
      return isObject(value) ? checkMembers(schema, value, pointer) : { pointer, fault: "must be an object" };
    case "array":
      return Array.isArray(value) ? checkItems(schema, value, pointer) : { pointer, fault: "must be a list" };
    case "string":
      return typeof value === "string" ? checkText(schema, value, pointer) : { pointer, fault: "must be a string" };
    case "integer":
      return checkInteger(schema, value, pointer);
    case "null":
      return value === null ? undefined : { pointer, fault: "must be null" };
    default:
      return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The last alternative's fault is the telling one: `null` stands first.
function checkAny(alternatives: readonly Schema[], value: unknown, pointer: string): SchemaFault | undefined {
  const faults = alternatives.map((schema) => checkSchema(schema, value, pointer));
  return faults.includes(undefined) ? undefined : faults.at(-1);
}

function checkMembers(schema: Schema, value: Record<string, unknown>, pointer: string): SchemaFault | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return { pointer: `${pointer}/${missing}`, fault: "is missing" };
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined && additionalProperties === false) return { pointer: at, fault: "is not a known member" };
    const fault = known === undefined ? undefined : checkSchema(known, member, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkItems(schema: Schema, value: readonly unknown[], pointer: string): SchemaFault | undefined {
  if (schema.maxItems !== undefined && value.length > schema.maxItems) return { pointer, fault: "has too many items" };
  for (const [index, item] of value.entries()) {
    const fault = schema.items === undefined ? undefined : checkSchema(schema.items, item, `${pointer}/${index}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkText(schema: Schema, value: string, pointer: string): SchemaFault | undefined {
  if (schema.maxLength !== undefined && value.length > schema.maxLength) return { pointer, fault: "is too long" };
  if (schema.pattern === undefined || new RegExp(schema.pattern).test(value)) return undefined;
  return { pointer, fault: `does not have the form ${schema.pattern}` };
}

function checkInteger(schema: Schema, value: unknown, pointer: string): SchemaFault | undefined {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const fits = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return fits ? undefined : { pointer, fault: `must be an integer from ${minimum} to ${maximum}` };
}
