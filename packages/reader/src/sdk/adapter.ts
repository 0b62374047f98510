/**
 * What a third party's adapter is: a module that exports `createSource(entry)`. Owns the contract with strangers' code
 * and the guard around it: what it returns is checked like an endpoint's answer.
 */
import type { BlockSource, ChainIdentity } from "../block-source.ts";
import type { SdkEntry } from "../config/entry.ts";
import { EndpointError, undecodable } from "../endpoint-error.ts";
import { boundedEvidence, type ForeignBlock, type Json, lower, missing, readHash } from "../foreign-block.ts";

/** The entry as an adapter sees it. */
export interface AdapterEntry {
  readonly name: string;
  readonly chainId: number;
  readonly endpoints: readonly string[];
  readonly method: string;
  /** The header that authorises calls. */
  readonly auth: { readonly header: string; readonly value: string } | undefined;
  readonly timeoutMs: number;
  /** Of option `settings`. */
  readonly settings: unknown;
}

/** A block as an adapter gives it. */
export interface AdapterBlock {
  readonly height: bigint | number;
  /** 0x-hex, 1 to 64 bytes. */
  readonly hash: string;
  readonly parentHash?: string;
  readonly parentHeight?: bigint | number;
  /** As the chain spells the hash. */
  readonly nativeHash?: string;
  /** Any JSON value, up to 64 KiB. */
  readonly evidence?: Json;
}

/** What `createSource` returns. Every call may take `timeoutMs`; one that throws is tried again. */
export interface AdapterSource {
  /** The newest height. */
  head(signal: AbortSignal): Promise<bigint | number>;
  /** The newest final height; without it `finality` can only be `instant` or a number. */
  finalized?(signal: AbortSignal): Promise<bigint | number>;
  /** The block at a height; null when the node has none yet, undefined when the chain skipped that height. */
  block(height: bigint, signal: AbortSignal): Promise<AdapterBlock | null | undefined>;
  identity?(signal: AbortSignal): Promise<ChainIdentity>;
}

/** What an adapter's module exports as `createSource`. */
export type CreateSource = (entry: AdapterEntry) => AdapterSource | Promise<AdapterSource>;

/** What of an entry an adapter gets. */
export function adapterEntry(entry: SdkEntry): AdapterEntry {
  const { name, chainId, endpoints, method, auth, timeoutMs, settings } = entry;
  return { name, chainId, endpoints, method, auth, timeoutMs, settings };
}

/** A stranger's source behind the same checks and deadlines as an endpoint. */
export function guardedSource(entry: SdkEntry, source: AdapterSource): BlockSource {
  const { finality, timeoutMs } = entry;

  async function asked<T>(ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const late = new Promise<never>((_, reject) => {
      const stop = () => reject(new EndpointError("unreachable", `the adapter: no answer within ${timeoutMs} ms`));
      deadline.addEventListener("abort", stop, { once: true });
    });
    try {
      return await Promise.race([ask(deadline), late]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EndpointError) throw error;
      const message = error instanceof Error ? error.name : "unknown error";
      throw new EndpointError("unreachable", `the adapter failed: ${message}`);
    }
  }

  const head = async (signal: AbortSignal) => heightOf(await asked((s) => source.head(s), signal));
  return {
    identity: async (signal) => identityFrom(await asked(async (s) => source.identity?.(s), signal)),
    head,
    async takeable(newest, signal) {
      if (finality.kind === "instant") return newest;
      if (finality.kind === "depth") return newest - BigInt(finality.confirmations);
      const { finalized } = source;
      if (finalized === undefined) throw undecodable("the adapter does not tell what is final");
      return lower(heightOf(await asked((s) => finalized.call(source, s), signal)), newest);
    },
    async block(height, signal) {
      const block = await asked((s) => source.block(height, s), signal);
      if (block === null) throw missing(`the adapter has no block ${height} yet`);
      return block === undefined ? undefined : checked(block, height);
    },
  };
}

/** Chain ids come as numbers too. */
function identityFrom(told: unknown): ChainIdentity {
  if (told === undefined || told === null) return {};
  if (typeof told !== "object") throw undecodable("the adapter's identity is no object");
  const members = Object.entries(told).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    members.map(([key, value]) => {
      const plainly = typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : value;
      if (typeof plainly !== "string") throw undecodable(`the adapter's ${key.slice(0, 80)} is no text`);
      return [key, plainly];
    }),
  );
}

function checked(block: AdapterBlock, height: bigint): ForeignBlock {
  if (typeof block !== "object" || heightOf(block.height) !== height) throw undecodable(`asked for block ${height}`);
  const { parentHash, parentHeight, nativeHash } = block;
  const hash = readHash(block.hash, "hex", "the adapter's hash");
  return {
    height,
    hash,
    nativeHash: typeof nativeHash === "string" ? nativeHash.slice(0, 256) : hash,
    parentHash: parentHash === undefined ? undefined : readHash(parentHash, "hex", "the adapter's parent hash"),
    parentHeight: parentHeight === undefined ? height - 1n : heightOf(parentHeight),
    evidence: boundedEvidence(plain(block.evidence ?? { hash })),
  };
}

/** What JSON can carry. */
function plain(value: Json): Json {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    throw undecodable("the adapter's evidence is no JSON");
  }
}

function heightOf(value: unknown): bigint {
  const height = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof height !== "bigint" || height < 0n || height > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw undecodable("the adapter's height is no height");
  }
  return height;
}
