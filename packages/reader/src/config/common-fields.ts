/** The fields and options that entries of every kind have. */
import { bytesToHex, sha256 } from "@cairn/primitives";
import type { ChainIdentity } from "../block-source.ts";
import { CROSS_CHECKS } from "../cross-check.ts";
import type { Finality } from "../finality.ts";
import { ReaderConfigError } from "./config-error.ts";
import type { Entry } from "./entry.ts";
import { type At, readInteger, readText, readUrl, readWord, type Table } from "./field.ts";
import { type EntryKind, optionsOf } from "./options.ts";

type CommonFields = Omit<Entry, "kind" | "key" | "finality" | "start" | "maxBytes">;

const MAX_CHAIN_ID = Number.MAX_SAFE_INTEGER;

/** Reads what every kind has; finality and start differ by kind. */
export function readCommonFields(record: readonly unknown[], options: Table, at: At): CommonFields {
  const [, name, chainId, url, , , token] = record;
  const id = readChainId(chainId, at("chain id"));
  return {
    name: readName(name, at("chain name")),
    chainId: id,
    endpoints: [readUrl(url, at("rpc url")), ...readEndpoints(options.endpoints, at("options.endpoints"))],
    auth: readAuth(token, options.auth_header, at),
    crossCheck: readWord(options.cross_check, CROSS_CHECKS, "available", at("options.cross_check")),
    expected: readExpected(options, at),
    pollMs: readInteger(options.poll_ms, 1000, 50, 3_600_000, at("options.poll_ms")),
    requestPauseMs: readInteger(options.request_pause_ms, 100, 0, 60_000, at("options.request_pause_ms")),
    timeoutMs: readInteger(options.timeout_ms, 10_000, 100, 120_000, at("options.timeout_ms")),
    submitAs: readSubmitAs(options.submit, id, at("options.submit")),
    digest: bytesToHex(sha256(new TextEncoder().encode(JSON.stringify(record)))),
  };
}

/** The eighth element; options that are not of this kind are refused. */
export function readOptions(value: unknown, kind: EntryKind, at: At): Table {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new ReaderConfigError(at("options"), "expected a table");
  }
  const known = optionsOf(kind);
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      const expected = `unknown option for "${kind}" entries; known: ${known.join(", ")}`;
      throw new ReaderConfigError(at(`options.${key}`), expected);
    }
  }
  return value as Table;
}

/** Largest answer read. */
export function readMaxBytes(options: Table, fallback: number, at: At): number {
  return readInteger(options.max_bytes, fallback, 1024, 268_435_456, at("options.max_bytes"));
}

/** The finality rule, among the tags the chain has. */
export function readFinality(options: Table, tags: readonly string[], at: At): Finality {
  const { confirmations, finality } = options;
  if (confirmations !== undefined) {
    if (finality !== undefined) {
      throw new ReaderConfigError(at("options.confirmations"), "give either finality or confirmations");
    }
    return { kind: "depth", confirmations: readInteger(confirmations, 0, 0, 100_000, at("options.confirmations")) };
  }
  if (finality === undefined || finality === "instant") return { kind: "instant" };
  if (typeof finality === "number") {
    return { kind: "depth", confirmations: readInteger(finality, 0, 0, 100_000, at("options.finality")) };
  }
  const tag = (["finalized", "safe"] as const).find((known) => known === finality && tags.includes(known));
  if (tag !== undefined) return { kind: "tag", tag };
  const offered = ["instant", ...tags].map((word) => `"${word}"`).join(", ");
  throw new ReaderConfigError(at("options.finality"), `expected ${offered} or a number of blocks`);
}

/** Where to begin without a cursor. */
export function readStart(value: unknown, field: string): "head" | bigint {
  if (value === undefined || value === "head") return "head";
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw new ReaderConfigError(field, 'expected "head" or a height from 0 on');
  }
  return BigInt(value);
}

function readName(value: unknown, field: string): string {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (!/^[a-z0-9-]{1,64}$/.test(name)) {
    throw new ReaderConfigError(field, "expected letters, digits and hyphens, 1 to 64 of them");
  }
  return name;
}

function readChainId(value: unknown, field: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw new ReaderConfigError(field, `expected an integer from 1 to ${MAX_CHAIN_ID}`);
  }
  return value;
}

function readEndpoints(value: unknown, field: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > 16)
    throw new ReaderConfigError(field, "expected a list of up to 16 URLs");
  return value.map((url, i) => readUrl(url, `${field}[${i}]`));
}

function readAuth(token: unknown, header: unknown, at: At): CommonFields["auth"] {
  if (token === undefined || token === null || token === "") return undefined;
  if (typeof token !== "string" || !/^[\x20-\x7e]{1,8192}$/.test(token)) {
    throw new ReaderConfigError(at("auth token"), "expected one line of printable ASCII");
  }
  if (header !== undefined) {
    if (typeof header !== "string" || !/^[A-Za-z0-9-]{1,64}$/.test(header)) {
      throw new ReaderConfigError(at("options.auth_header"), "expected a header's name");
    }
    return { header: header.toLowerCase(), value: token };
  }
  return { header: "authorization", value: /^[A-Za-z][A-Za-z0-9-]* /.test(token) ? token : `Bearer ${token}` };
}

function readExpected(options: Table, at: At): ChainIdentity {
  const network = readText(options.network, at("options.network"));
  const genesis = readText(options.genesis, at("options.genesis"));
  return { ...(network === undefined ? {} : { network }), ...(genesis === undefined ? {} : { genesis }) };
}

function readSubmitAs(value: unknown, chainId: number, field: string): string {
  if (value === undefined) return String(chainId);
  if (typeof value !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(value)) {
    throw new ReaderConfigError(field, "expected a chain id: a decimal number, a CAIP-2 id or a name");
  }
  return value;
}
