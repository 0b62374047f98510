/**
 * Reads one positional record of `block_fetch_params` (specification: seven fields; ours: an eighth with options).
 * Every refusal names the entry's index, the field and what was expected.
 */
import { type Finality, ReaderConfigError, type RpcEntry } from "./entry.ts";

const METHODS = ["eth_getBlockByNumber"] as const;
const MAX_CHAIN_ID = Number.MAX_SAFE_INTEGER;
const OPTIONS = [
  "confirmations",
  "finality",
  "poll_ms",
  "start",
  "endpoints",
  "every",
  "request_pause_ms",
  "submit",
  "auth_header",
] as const;

type Options = Readonly<Record<string, unknown>>;

/** Validates element `index` of the list; throws ReaderConfigError. */
export function parseEntry(value: unknown, index: number): RpcEntry {
  const at = (field: string) => `block_fetch_params[${index}].${field}`;
  if (!Array.isArray(value)) throw new ReaderConfigError(`block_fetch_params[${index}]`, "expected an array");
  if (value.length < 6 || value.length > 8) {
    throw new ReaderConfigError(`block_fetch_params[${index}]`, `expected 6 to 8 elements, got ${value.length}`);
  }
  const [kind, name, chainId, url, method, , token, options] = value as readonly unknown[];
  requireRpc(kind, at("type"));
  const known = parseOptions(options, at);
  const id = parseChainId(chainId, at("chain id"));
  return {
    kind: "rpc",
    name: parseName(name, at("chain name")),
    chainId: id,
    endpoints: [parseUrl(url, at("rpc url")), ...parseEndpoints(known.endpoints, at("options.endpoints"))],
    method: parseMethod(method, at("method")),
    auth: parseAuth(token, known.auth_header, at("auth token")),
    finality: parseFinality(known, at),
    pollMs: parseInteger(known.poll_ms, 1000, 50, 3_600_000, at("options.poll_ms")),
    start: parseStart(known.start, at("options.start")),
    every: parseInteger(known.every, 1, 1, 1_000_000, at("options.every")),
    requestPauseMs: parseInteger(known.request_pause_ms, 100, 0, 60_000, at("options.request_pause_ms")),
    submitAs: parseSubmitAs(known.submit, id, at("options.submit")),
  };
}

function requireRpc(kind: unknown, field: string): void {
  if (kind === "rpc") return;
  if (kind === "contract" || kind === "sdk") {
    throw new ReaderConfigError(field, `entries of kind "${kind}" are not available in this version; use "rpc"`);
  }
  throw new ReaderConfigError(field, 'expected "rpc", "contract" or "sdk"');
}

function parseName(value: unknown, field: string): string {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (!/^[a-z0-9-]{1,64}$/.test(name)) {
    throw new ReaderConfigError(field, "expected letters, digits and hyphens, 1 to 64 of them");
  }
  return name;
}

function parseChainId(value: unknown, field: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw new ReaderConfigError(field, `expected an integer from 1 to ${MAX_CHAIN_ID}`);
  }
  return value;
}

function parseUrl(value: unknown, field: string): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new ReaderConfigError(field, "expected an http or https URL");
  }
  return url.href;
}

function parseEndpoints(value: unknown, field: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ReaderConfigError(field, "expected an array of URLs");
  return value.map((url, i) => parseUrl(url, `${field}[${i}]`));
}

function parseMethod(value: unknown, field: string): RpcEntry["method"] {
  const method = METHODS.find((known) => known === value);
  if (method === undefined) throw new ReaderConfigError(field, `expected one of ${METHODS.join(", ")}`);
  return method;
}

function parseAuth(token: unknown, header: unknown, field: string): RpcEntry["auth"] {
  if (token === undefined || token === null || token === "") return undefined;
  if (typeof token !== "string" || /[\r\n]/.test(token))
    throw new ReaderConfigError(field, "expected one line of text");
  if (header !== undefined) {
    if (typeof header !== "string" || !/^[A-Za-z0-9-]{1,64}$/.test(header)) {
      throw new ReaderConfigError(`${field} (options.auth_header)`, "expected a header name");
    }
    return { header: header.toLowerCase(), value: token };
  }
  return { header: "authorization", value: /^[A-Za-z][A-Za-z0-9-]* /.test(token) ? token : `Bearer ${token}` };
}

function parseOptions(value: unknown, at: (field: string) => string): Options {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new ReaderConfigError(at("options"), "expected an object");
  for (const key of Object.keys(value)) {
    if (!OPTIONS.some((known) => known === key)) {
      throw new ReaderConfigError(at(`options.${key}`), `unknown option; known: ${OPTIONS.join(", ")}`);
    }
  }
  return value as Options;
}

function parseFinality(options: Options, at: (field: string) => string): Finality {
  const { confirmations, finality } = options;
  if (confirmations !== undefined) {
    return { kind: "depth", confirmations: parseInteger(confirmations, 0, 0, 100_000, at("options.confirmations")) };
  }
  if (finality === undefined || finality === "instant") return { kind: "instant" };
  if (finality === "finalized" || finality === "safe") return { kind: "tag", tag: finality };
  if (typeof finality === "number") {
    return { kind: "depth", confirmations: parseInteger(finality, 0, 0, 100_000, at("options.finality")) };
  }
  throw new ReaderConfigError(at("options.finality"), 'expected "finalized", "safe", "instant" or a number of blocks');
}

function parseStart(value: unknown, field: string): "head" | bigint {
  if (value === undefined || value === "head") return "head";
  return BigInt(parseInteger(value, 0, 0, Number.MAX_SAFE_INTEGER, field));
}

function parseSubmitAs(value: unknown, chainId: number, field: string): string {
  if (value === undefined) return String(chainId);
  if (typeof value !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(value)) {
    throw new ReaderConfigError(field, "expected a chain id: a decimal number, a CAIP-2 id or a name");
  }
  return value;
}

function parseInteger(value: unknown, fallback: number, min: number, max: number, field: string): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
    throw new ReaderConfigError(field, `expected an integer from ${min} to ${max}`);
  }
  return value;
}
