/** Option `proof`: where the proof itself is fetched. */
import { parseSignature, SignatureError } from "../abi/signature.ts";
import { isPointer } from "../json-pointer.ts";
import type { ProofReference } from "../proof-reference.ts";
import { ReaderConfigError } from "./config-error.ts";
import { type At, readTable, readText, readWord, type Table } from "./field.ts";

const MEMBERS = ["from", "path", "system", "encoding", "curve", "vk", "public_inputs"];

/** Reads the option. `names`: the event's arguments; empty for `rpc` entries, which can only name a URL. */
export function readProofOption(value: unknown, names: readonly string[], at: At): ProofReference | undefined {
  const field = at("options.proof");
  const table = readTable(value, MEMBERS, field);
  if (table === undefined) return undefined;
  const path = readText(table.path, `${field}.path`) ?? "";
  const froms = names.length === 0 ? (["url"] as const) : (["arg", "calldata", "url"] as const);
  const from: "arg" | "calldata" | "url" = readWord(table.from, froms, froms[0], `${field}.from`);
  const label = (key: string) => ({ [key]: readLabel(table[key], `${field}.${key}`) });
  const form = {
    ...label("system"),
    ...label("encoding"),
    ...label("curve"),
    vk: readText(table.vk, `${field}.vk`),
    publicInputs: readNames(table, names, `${field}.public_inputs`),
  };
  if (from === "arg") return { from, argument: readArgument(path, names, `${field}.path`), form };
  if (from === "calldata") return { from, ...readCalldataPath(path, `${field}.path`), form };
  return { from, ...readUrlTemplate(path, names, `${field}.path`), form };
}

function readLabel(value: unknown, field: string): string | undefined {
  const text = readText(value, field);
  if (text !== undefined && text.length > 64) throw new ReaderConfigError(field, "expected at most 64 characters");
  return text;
}

function readArgument(path: string, names: readonly string[], field: string): string {
  if (!names.includes(path))
    throw new ReaderConfigError(field, `expected an argument of the event: ${names.join(", ")}`);
  return path;
}

function readNames(table: Table, names: readonly string[], field: string): readonly string[] {
  const value = table.public_inputs;
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ReaderConfigError(field, "expected a list of the event's arguments");
  return value.map((name, i) => readArgument(String(name), names, `${field}[${i}]`));
}

/** `function(type name, …).argument.member`: the call's signature, then the way to the proof. */
function readCalldataPath(path: string, field: string) {
  const end = path.lastIndexOf(")");
  try {
    const signature = parseSignature(path.slice(0, end + 1));
    const steps = path
      .slice(end + 1)
      .split(".")
      .slice(1);
    if (steps.length > 0 && steps.every((step) => step !== "")) return { signature, steps };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
  }
  throw new ReaderConfigError(field, 'expected a call and an argument: "prove(bytes32 root, bytes proof).proof"');
}

/** `https://host/path/{argument}#/pointer`: the host is fixed, words stand for the event's arguments. */
function readUrlTemplate(path: string, names: readonly string[], field: string) {
  const [template = "", pointer = ""] = path.split("#");
  const known = [...names, "height", "hash"];
  const words = template.match(/\{[^}]*\}/g) ?? [];
  const unknown = words.find((word) => !known.includes(word.slice(1, -1)));
  if (unknown !== undefined) throw new ReaderConfigError(field, `${unknown} is none of ${known.join(", ")}`);
  const url = URL.parse(template);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.host.includes("{") || /%7b/i.test(url.host)) {
    throw new ReaderConfigError(field, "expected an http or https URL of one host");
  }
  if (!isPointer(pointer)) throw new ReaderConfigError(field, "expected a JSON pointer after #");
  return { template, pointer };
}
