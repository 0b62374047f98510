/** Reads signatures as people write them: `Name(type [indexed] name, …)`, and JSON ABI items. */
import { keccak256 } from "@cairn/primitives";
import { type AbiParameter, type AbiType, typeName } from "./abi-type.ts";

/** A parameter of an event; `indexed` ones are topics. */
export interface SignatureParameter extends AbiParameter {
  readonly indexed: boolean;
}

/** An event or a function with its parameters. */
export interface Signature {
  readonly name: string;
  readonly parameters: readonly SignatureParameter[];
}

/** A signature that cannot be read; the message says what was expected. */
export class SignatureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SignatureError";
  }
}

/** Longest text that is read. */
const MAX_CHARACTERS = 4_096;
const MAX_NESTING = 8;

/** keccak-256 of a signature's canonical form. */
export function signatureHash({ name, parameters }: Signature): Uint8Array {
  const types = parameters.map((parameter) => typeName(parameter.type)).join(",");
  return keccak256(new TextEncoder().encode(`${name}(${types})`));
}

/** Reads `[event|function] Name(…)`. Throws SignatureError. */
export function parseSignature(text: string): Signature {
  if (text.length > MAX_CHARACTERS) throw new SignatureError(`expected at most ${MAX_CHARACTERS} characters`);
  const tokens = text.match(/[A-Za-z_$][A-Za-z0-9_$]*|\[\d*\]|[(),]|\S/g) ?? [];
  const reader = createReader(tokens);
  if (reader.peek() === "event" || reader.peek() === "function") reader.next();
  const name = identifier(reader.next());
  const parameters = parseList(reader, 0);
  if (reader.peek() !== undefined) throw new SignatureError(`unexpected "${reader.peek()}" after the parameters`);
  requireDistinct(parameters);
  return { name, parameters };
}

interface TokenReader {
  peek(): string | undefined;
  next(): string | undefined;
}

function createReader(tokens: readonly string[]): TokenReader {
  let at = 0;
  return {
    peek: () => tokens[at],
    next() {
      at += 1;
      return tokens[at - 1];
    },
  };
}

function parseList(reader: TokenReader, nesting: number): readonly SignatureParameter[] {
  if (nesting > MAX_NESTING) throw new SignatureError("tuples are nested too deeply");
  if (reader.next() !== "(") throw new SignatureError('expected "("');
  const parameters: SignatureParameter[] = [];
  if (reader.peek() === ")") {
    reader.next();
    return parameters;
  }
  for (;;) {
    parameters.push(parseParameter(reader, nesting));
    const separator = reader.next();
    if (separator === ")") return parameters;
    if (separator !== ",") throw new SignatureError(`expected "," or ")" in place of "${separator ?? "the end"}"`);
  }
}

const WORDS = new Set(["indexed", "memory", "calldata", "payable"]);

function parseParameter(reader: TokenReader, nesting: number): SignatureParameter {
  const type = parseArrays(reader, parseBase(reader, nesting));
  let indexed = false;
  let name = "";
  for (let token = reader.peek(); token !== "," && token !== ")" && token !== undefined; token = reader.peek()) {
    if (name !== "") throw new SignatureError(`unexpected "${token}" after "${name}"`);
    if (token === "indexed") indexed = true;
    else if (!WORDS.has(token)) name = identifier(token);
    reader.next();
  }
  return { name, type, indexed };
}

function parseBase(reader: TokenReader, nesting: number): AbiType {
  if (reader.peek() === "tuple") reader.next();
  if (reader.peek() === "(") return { kind: "tuple", fields: parseList(reader, nesting + 1) };
  return elementaryType(reader.next() ?? "");
}

function parseArrays(reader: TokenReader, base: AbiType): AbiType {
  let type = base;
  for (let token = reader.peek(); token?.startsWith("[") === true; token = reader.peek()) {
    reader.next();
    type = arrayOf(type, token);
  }
  return type;
}

function arrayOf(of: AbiType, suffix: string): AbiType {
  const digits = suffix.slice(1, -1);
  const length = digits === "" ? undefined : Number(digits);
  if (length !== undefined && (length < 1 || length > 10_000)) throw new SignatureError(`no such array: ${suffix}`);
  return { kind: "array", of, length };
}

const SIMPLE = ["address", "bool", "bytes", "string"] as const;

/** An elementary type by its name; `uint` and `int` stand for 256 bits. Throws SignatureError. */
function elementaryType(name: string): AbiType {
  const simple = SIMPLE.find((known) => known === name);
  if (simple !== undefined) return { kind: simple };
  const match = /^(uint|int|bytes)(\d{0,3})$/.exec(name);
  const size = Number(match?.[2] || 256);
  if (match?.[1] === "bytes" && size >= 1 && size <= 32) return { kind: "fixed-bytes", size };
  if ((match?.[1] === "uint" || match?.[1] === "int") && size % 8 === 0 && size >= 8 && size <= 256) {
    return { kind: match[1], bits: size };
  }
  throw new SignatureError(`"${name}" is no ABI type`);
}

function identifier(token: string | undefined): string {
  if (token === undefined || !/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(token)) {
    throw new SignatureError(`expected a name in place of "${token ?? "the end"}"`);
  }
  return token;
}

function requireDistinct(parameters: readonly SignatureParameter[]): void {
  const seen = new Set<string>();
  for (const { name } of parameters) {
    if (name !== "" && seen.has(name)) throw new SignatureError(`"${name}" is used twice`);
    seen.add(name);
  }
}

interface JsonParameter {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly indexed?: unknown;
  readonly components?: unknown;
}

/** Reads an item of a JSON ABI. Throws SignatureError. */
export function signatureFromJson(item: { readonly name?: unknown; readonly inputs?: unknown }): Signature {
  const parameters = jsonParameters(item.inputs, 0);
  requireDistinct(parameters);
  return { name: identifier(typeof item.name === "string" ? item.name : undefined), parameters };
}

function jsonParameters(value: unknown, nesting: number): readonly SignatureParameter[] {
  if (!Array.isArray(value) || nesting > MAX_NESTING) throw new SignatureError("expected a list of parameters");
  return value.map((entry: JsonParameter | null) => {
    const { name = "", type, indexed, components } = entry ?? {};
    if (typeof name !== "string" || typeof type !== "string") throw new SignatureError("expected name and type");
    const match = /^([a-z0-9]+)((\[\d*\])*)$/.exec(type);
    if (match?.[1] === undefined) throw new SignatureError(`"${type.slice(0, 80)}" is no ABI type`);
    const fields = match[1] === "tuple" ? jsonParameters(components, nesting + 1) : [];
    const base: AbiType = match[1] === "tuple" ? { kind: "tuple", fields } : elementaryType(match[1]);
    const suffixes = match[2]?.match(/\[\d*\]/g) ?? [];
    return { name, type: suffixes.reduce(arrayOf, base), indexed: indexed === true };
  });
}
