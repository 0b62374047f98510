/**
 * Finding and loading the addon. Looks at `CAIRN_NATIVE_ADDON` (an absolute path), then at
 * `prebuilt/<platform>-<arch>.node` of this package, then at cargo's release directory. Owns no meaning of its calls.
 */
import { existsSync } from "node:fs";
import { constants, homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NativeError } from "./error.ts";

/** What the addon exports, as `native/crates/napi` declares it. Texts are JSON, heights decimal. */
export interface Addon {
  open(dir: string, genesis: string, cacheBytes?: number): Promise<AddonChain>;
  verifyProofs(items: (string | AddonProofItem)[]): Promise<string>;
  /** `{system, curve?, encoding, vk}` as JSON text. */
  decodeKey(request: string): Promise<string>;
  keccak256(bytes: Uint8Array): Uint8Array;
}

/** A submission with its integration's profile or the key it names. */
export interface AddonProofItem {
  proofData: string;
  profile?: { system: string; curve?: string; encoding: string; vkHash?: Uint8Array };
  key?: Uint8Array;
}

/** The handle class of the addon. */
export interface AddonChain {
  head(): string;
  admit(packed: Uint8Array): Promise<string>;
  propose(height: string, timestamp: string, miner: string, packed: Uint8Array): Promise<number[]>;
  execute(
    height: string,
    timestamp: string,
    miner: string,
    consensusHash: Uint8Array,
    packed: Uint8Array,
  ): Promise<string>;
  commit(): Promise<string[]>;
  buildPending(height: string, timestamp: string, miner: string, packed: Uint8Array): Promise<string>;
  account(address: string, block: string): Uint8Array | null;
  code(address: string, block: string): Uint8Array | null;
  storage(address: string, slot: Uint8Array, block: string): Uint8Array | null;
  blockNumber(hash: string): string | null;
  call(request: string, data: Uint8Array): Promise<Uint8Array>;
  estimateGas(request: string, data: Uint8Array): Promise<Uint8Array>;
  callSmall(request: string, data: Uint8Array): Uint8Array | null;
  estimateSmall(request: string, data: Uint8Array): Uint8Array | null;
  createAccessList(request: string, data: Uint8Array): Promise<string[]>;
  simulate(request: string): Promise<string[]>;
  callMany(request: string): Promise<string[]>;
  /** `ok` and JSON text, or a code and a reason. */
  trace(request: string): Promise<string[]>;
  /** `ok` and JSON text, or a code. */
  explore(request: string): Promise<string[]>;
  headerJson(block: string): string | null;
  blockJson(block: string, full: boolean): Promise<string | null>;
  transactionJson(hash: string): string | null;
  transactionByIndexJson(block: string, index: number): string | null;
  transactionCount(block: string): number | null;
  receiptJson(hash: string): string | null;
  blockReceiptsJson(block: string): Promise<string | null>;
  /** JSON text of an array, or `too-many-results` or `timeout`. */
  logsJson(query: string): Promise<string>;
  logsSmall(query: string): string | null;
  proofJson(address: string, keys: Uint8Array, block: string): Promise<string | null>;
  feeHistoryJson(count: number, newest: string, percentiles: number[]): Promise<string>;
  rawHeader(block: string): Uint8Array | null;
  rawBlock(block: string): Promise<Uint8Array | null>;
  rawReceipts(block: string): Promise<Uint8Array | null>;
  rawTransaction(hash: string): Uint8Array | null;
  close(): Promise<boolean>;
}

function libraryName(): string {
  if (process.platform === "win32") return "cairn_napi.dll";
  return process.platform === "darwin" ? "libcairn_napi.dylib" : "libcairn_napi.so";
}

/** Paths that may hold the addon, best first. */
export function addonPaths(env: NodeJS.ProcessEnv = process.env): string[] {
  const explicit = env.CAIRN_NATIVE_ADDON;
  if (explicit) return [explicit];
  const prebuilt = new URL(`../prebuilt/${process.platform}-${process.arch}.node`, import.meta.url);
  const target = env.CARGO_TARGET_DIR ?? join(homedir(), ".cache", "cairn", "cargo");
  return [fileURLToPath(prebuilt), join(target, "release", libraryName())];
}

/**
 * The path of the addon.
 * @throws NativeError `addon-missing` when no file is found.
 */
export function addonPath(env: NodeJS.ProcessEnv = process.env): string {
  const path = addonPaths(env).find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw new NativeError("addon-missing", "the native addon is not built: run the build, or set CAIRN_NATIVE_ADDON");
  }
  return path;
}

/**
 * Loads the addon; Node loads one file once per process, so calling again is cheap.
 * @throws NativeError `addon-missing` when no file is found or it does not load on this system.
 */
export function loadAddon(env: NodeJS.ProcessEnv = process.env): Addon {
  const path = addonPath(env);
  const module: { exports: Partial<Addon> } = { exports: {} };
  try {
    process.dlopen(module, path, constants.dlopen.RTLD_NOW);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NativeError("addon-missing", `the native addon does not load: ${reason}`);
  }
  const { open, verifyProofs, decodeKey, keccak256 } = module.exports;
  if (!open || !verifyProofs || !decodeKey || !keccak256) {
    throw new NativeError("addon-missing", "the file is no addon of this program");
  }
  return { open, verifyProofs, decodeKey, keccak256 };
}
