/**
 * Reads one positional record of `block_fetch_params` (specification: seven fields; ours: an eighth with options).
 * Every refusal names the entry's index, the field and what was expected.
 */
import type { Hex } from "@cairn/primitives";
import { parseSignature, type Signature, SignatureError, signatureFromJson } from "../abi/signature.ts";
import { catalogueRow, catalogueSpec, EVENT_NAMES, isSpec } from "../events/catalogue.ts";
import { type EventSpec, eventSpec } from "../events/event-spec.ts";
import { parseWhere } from "../events/where.ts";
import { EVM } from "../families/evm.ts";
import type { FamilyRow } from "../families/family.ts";
import { FAMILIES, familyOf, KNOWN_METHODS } from "../families/table.ts";
import { readCommonFields, readFinality, readMaxBytes, readOptions, readStart } from "./common-fields.ts";
import { ReaderConfigError } from "./config-error.ts";
import {
  BUILTIN_ADAPTERS,
  type BuiltinAdapter,
  type ContractEntry,
  type Entry,
  type RpcEntry,
  type SdkEntry,
} from "./entry.ts";
import { type At, readBoolean, readInteger, readText, readWord, type Table } from "./field.ts";
import type { EntryKind } from "./options.ts";
import { readProofOption } from "./proof-option.ts";
import { readShape } from "./shape.ts";

/** An entry of the list, checked. */
export interface ParsedEntry {
  readonly entry: Entry;
  /** What is odd but can be used. */
  readonly warnings: readonly string[];
}

const MIB = 1024 * 1024;

/** Validates element `index` of the list; throws ReaderConfigError. */
export function parseEntry(value: unknown, index: number): ParsedEntry {
  const at = (field: string) => `block_fetch_params[${index}].${field}`;
  if (!Array.isArray(value)) throw new ReaderConfigError(`block_fetch_params[${index}]`, "expected an array");
  if (value.length < 6 || value.length > 8) {
    throw new ReaderConfigError(`block_fetch_params[${index}]`, `expected 6 to 8 elements, got ${value.length}`);
  }
  const record: readonly unknown[] = value;
  const kind = readKind(record[0], at("type"));
  const options = readOptions(record[7], kind, at);
  if (kind === "contract") return { entry: parseContract(record, options, at), warnings: [] };
  const entry = kind === "rpc" ? parseRpc(record, options, at) : parseSdk(record, options, at);
  const ignored = record[5] !== "" && record[5] !== null && record[5] !== undefined;
  const warning = `${at("contract address")}: ignored on "${kind}" entries; leave it empty`;
  return { entry, warnings: ignored ? [warning] : [] };
}

function readKind(value: unknown, field: string): EntryKind {
  const kind = (["rpc", "contract", "sdk"] as const).find((known) => known === value);
  if (kind === undefined) throw new ReaderConfigError(field, 'expected "rpc", "contract" or "sdk"');
  return kind;
}

function parseRpc(record: readonly unknown[], options: Table, at: At): RpcEntry {
  const fields = readCommonFields(record, options, at);
  const { method, family } = readMethod(record[4], options, at);
  return {
    kind: "rpc",
    ...fields,
    key: fields.name,
    method,
    family,
    finality: readFinality(options, Object.keys(family.tags), at),
    start: readStart(options.start, at("options.start")),
    maxBytes: readMaxBytes(options, 4 * MIB, at),
    hashCheck: readBoolean(options.hash_check, true, at("options.hash_check")),
    every: readInteger(options.every, 1, 1, 1_000_000, at("options.every")),
    proof: readProofOption(options.proof, [], at),
  };
}

function readMethod(value: unknown, options: Table, at: At): { readonly method: string; readonly family: FamilyRow } {
  const method = typeof value === "string" ? value : "";
  const name = readText(options.family, at("options.family"));
  if (name !== undefined && !FAMILIES.some((row) => row.name === name)) {
    const names = [...new Set(FAMILIES.map((row) => row.name))].join(", ");
    throw new ReaderConfigError(at("options.family"), `expected one of ${names}`);
  }
  const shaped = method === "" ? undefined : readShape(options.shape, method, at("options.shape"));
  const family = shaped ?? familyOf(method, name);
  if (family !== undefined) return { method, family };
  const expected = `${meant(method, KNOWN_METHODS)}expected one of ${KNOWN_METHODS.join(", ")}; any other method needs option shape`;
  throw new ReaderConfigError(at("method"), expected);
}

/** A word that differs only in the case of its letters is most likely meant. */
function meant(word: string, known: readonly string[]): string {
  const same = known.find((one) => one.toLowerCase() === word.toLowerCase());
  return same === undefined ? "" : `did you mean "${same}"? `;
}

function parseContract(record: readonly unknown[], options: Table, at: At): ContractEntry {
  const fields = readCommonFields(record, options, at);
  const event = readEvent(record[4], options, at);
  if (options.start !== undefined && options.from_block !== undefined) {
    throw new ReaderConfigError(at("options.from_block"), "give either start or from_block");
  }
  const names = event.signature.parameters.map((parameter) => parameter.name);
  return {
    kind: "contract",
    ...fields,
    key: `contract:${fields.name}`,
    address: readAddress(record[5], at("contract address")),
    event,
    finality: readFinality(options, Object.keys(EVM.tags), at),
    start: readStart(options.start ?? options.from_block, at("options.from_block")),
    maxBytes: readMaxBytes(options, 16 * MIB, at),
    hashCheck: readBoolean(options.hash_check, true, at("options.hash_check")),
    maxRange: readInteger(options.max_range, 2_000, 1, 100_000, at("options.max_range")),
    proof: readProofOption(options.proof, names, at),
  };
}

function readAddress(value: unknown, field: string): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    throw new ReaderConfigError(field, "expected the address of the contract: 20 bytes of 0x-hex");
  }
  return value.toLowerCase() as Hex;
}

function readEvent(value: unknown, options: Table, at: At): EventSpec {
  const text = typeof value === "string" ? value.trim() : "";
  const row = options.abi === undefined ? catalogueRow(text) : undefined;
  const signature = readSignature(row?.signature ?? text, options.abi, at);
  const where = parseWhere(options.where, signature);
  if ("wrong" in where) {
    const argument = where.wrong === "" ? "" : `.${where.wrong}`;
    throw new ReaderConfigError(at(`options.where${argument}`), "expected a value of the event's argument");
  }
  const root = readText(options.root, at("options.root"));
  const spec = row === undefined ? eventSpec(signature, root, where) : catalogueSpec(row, root, where);
  if (!isSpec(spec)) throw new ReaderConfigError(at("event"), spec.problem);
  return spec;
}

function readSignature(text: string, abi: unknown, at: At): Signature {
  try {
    if (abi !== undefined) return fromAbi(abi, text, at("options.abi"));
    if (text.includes("(")) return parseSignature(text);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new ReaderConfigError(at(abi === undefined ? "event" : "options.abi"), error.message);
  }
  const known = EVENT_NAMES.join(", ");
  throw new ReaderConfigError(
    at("event"),
    `${meant(text, EVENT_NAMES)}expected a full signature, a name with option abi, or one of ${known}`,
  );
}

function fromAbi(abi: unknown, name: string, field: string): Signature {
  const items = (Array.isArray(abi) ? abi : [abi]).filter(
    (item) => typeof item === "object" && item?.type === "event" && item.name === name,
  );
  if (items.length !== 1) {
    const expected = `expected one event "${name.slice(0, 80)}", found ${items.length}`;
    throw new ReaderConfigError(field, expected);
  }
  return signatureFromJson(items[0]);
}

function parseSdk(record: readonly unknown[], options: Table, at: At): SdkEntry {
  const fields = readCommonFields(record, options, at);
  const method = typeof record[4] === "string" ? record[4] : "";
  const module = readText(options.module, at("options.module"));
  const every = readInteger(options.every, 1, 1, 1_000_000, at("options.every"));
  return {
    kind: "sdk",
    ...fields,
    key: fields.name,
    method,
    adapter: module === undefined ? { builtin: readAdapter(options, method, fields.name, at) } : { module },
    settings: options.settings,
    finality: readFinality(options, ["finalized", "safe"], at),
    start: readStart(options.start, at("options.start")),
    maxBytes: readMaxBytes(options, 4 * MIB, at),
    every,
  };
}

/** Named, or known by the method, or by the chain's name. */
function readAdapter(options: Table, method: string, name: string, at: At): BuiltinAdapter {
  if (options.adapter !== undefined) {
    return readWord(options.adapter, BUILTIN_ADAPTERS, "celestia", at("options.adapter"));
  }
  const family = familyOf(method, undefined)?.name;
  const found = BUILTIN_ADAPTERS.find((known) => known === family) ?? BUILTIN_ADAPTERS.find((known) => known === name);
  if (found !== undefined) return found;
  const expected = `expected ${BUILTIN_ADAPTERS.join(", ")}, or option module for another adapter`;
  throw new ReaderConfigError(at("options.adapter"), expected);
}
