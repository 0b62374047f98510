/** The reader's configuration file (TOML or JSON): read once, validated as a whole, frozen. */
import { isIPv4 } from "node:net";
import { parse as parseToml, TomlError } from "smol-toml";
import { ReaderConfigError } from "./config-error.ts";
import type { Entry } from "./entry.ts";
import { parseEntry } from "./entry-parser.ts";
import { readUrl } from "./field.ts";
import { lineOfElement, lineOfJsonFault, lineOfKey } from "./locate.ts";

/** Run modes that go on until stopped (specification: proof-service); the fourth, TEST, runs each entry once. */
export const READER_MODES = ["REST", "LOOP", "BOTH"] as const;

/** REST: pushes only. LOOP: follows every entry. BOTH: the two together. */
export type ReaderMode = (typeof READER_MODES)[number];

/** A reader's configuration, checked. */
export interface ReaderConfig {
  /** Where submissions go, and the bearer token for it. */
  readonly serviceUrl: string;
  readonly serviceToken: string;
  /** `host:port` of the REST endpoint. */
  readonly address: string;
  /** Bearer token of the REST endpoint; needed when `address` is not loopback. */
  readonly token: string | undefined;
  /** `host:port` of health and metrics where the REST endpoint is not; undefined: none. */
  readonly metricsAddress: string | undefined;
  readonly blockNumbersDir: string;
  readonly entries: readonly Entry[];
  /** What is odd but can be used. */
  readonly warnings: readonly string[];
}

const KEYS = [
  "service_url",
  "service_token",
  "address",
  "metrics_address",
  "token",
  "block_numbers_dir",
  "block_fetch_params",
];

/** What a command's flags say in place of the file; checked as the file's own are. */
export interface ReaderConfigFlags {
  readonly address?: string | undefined;
  readonly metricsAddress?: string | undefined;
}

/** Parses the text of a configuration file; JSON when it begins with `{`. Throws ReaderConfigError with the line. */
export function parseReaderConfig(file: string, flags: ReaderConfigFlags = {}): ReaderConfig {
  const text = file.replace(/^\uFEFF/, "");
  const decoded = text.trimStart().startsWith("{") ? decodeJson(text) : decodeToml(text);
  try {
    return validateReaderConfig(decoded, flags);
  } catch (error) {
    if (!(error instanceof ReaderConfigError)) throw error;
    throw new ReaderConfigError(error.field, error.expected, lineOf(text, error.field));
  }
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ReaderConfigError("configuration", "not valid JSON", lineOfJsonFault(text));
  }
}

function decodeToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line says what is wrong; those after it quote the file, tokens among it.
    const [reason = ""] = error.message.split("\n");
    throw new ReaderConfigError(
      "configuration",
      reason.replace(/^Invalid TOML document/, "not valid TOML"),
      error.line,
    );
  }
}

function lineOf(text: string, field: string): number | undefined {
  const index = /^block_fetch_params\[(\d+)\]/.exec(field)?.[1];
  return index === undefined
    ? lineOfKey(text, /^\w+/.exec(field)?.[0] ?? " ")
    : lineOfElement(text, "block_fetch_params", Number(index));
}

/** Validates a decoded configuration. Throws ReaderConfigError. */
export function validateReaderConfig(value: unknown, flags: ReaderConfigFlags = {}): ReaderConfig {
  if (typeof value !== "object" || value === null) throw new ReaderConfigError("configuration", "expected a table");
  const table = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(table)) {
    if (!KEYS.includes(key)) throw new ReaderConfigError(key, `unknown key; known: ${KEYS.join(", ")}`);
  }
  const list = table.block_fetch_params;
  if (!Array.isArray(list) || list.length === 0) {
    throw new ReaderConfigError("block_fetch_params", "expected a list with at least one entry");
  }
  const parsed = list.map(parseEntry);
  const entries = parsed.map(({ entry }) => entry);
  requireUniqueNames(entries);
  const address = flags.address ?? text(table, "address", "127.0.0.1:8080");
  const token = table.token === undefined ? undefined : text(table, "token");
  requireTokenBeyondLoopback(address, token);
  const metricsAddress =
    flags.metricsAddress ?? (table.metrics_address === undefined ? undefined : text(table, "metrics_address"));
  if (metricsAddress !== undefined) parseAddress(metricsAddress, "metrics_address");
  return {
    serviceUrl: readUrl(table.service_url, "service_url"),
    serviceToken: text(table, "service_token"),
    address,
    token,
    metricsAddress,
    blockNumbersDir: text(table, "block_numbers_dir", "block_numbers"),
    entries,
    warnings: parsed.flatMap(({ warnings }) => warnings),
  };
}

function text(table: Readonly<Record<string, unknown>>, key: string, fallback?: string): string {
  const value = table[key] ?? fallback;
  if (typeof value !== "string" || value === "") throw new ReaderConfigError(key, "expected a text");
  return value;
}

/** Unique among `rpc` and `sdk` entries, and among `contract` entries. */
function requireUniqueNames(entries: readonly Entry[]): void {
  const seen = new Set<string>();
  entries.forEach((entry, index) => {
    if (seen.has(entry.key)) {
      throw new ReaderConfigError(`block_fetch_params[${index}].chain name`, `"${entry.name}" is used twice`);
    }
    seen.add(entry.key);
  });
}

/** Splits `host:port`; throws ReaderConfigError naming the field. */
export function parseAddress(address: string, field = "address"): { readonly host: string; readonly port: number } {
  const match = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(address);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) throw new ReaderConfigError(field, "expected host:port");
  return { host: match[1], port };
}

function requireTokenBeyondLoopback(address: string, token: string | undefined): void {
  const { host } = parseAddress(address);
  const loopback = host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
  if (!loopback && token === undefined) throw new ReaderConfigError("token", "needed when address is not loopback");
}
