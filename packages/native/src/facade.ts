/** The `Native` of one addon handle: translates every call, turns the addon's errors into `NativeError`. */
import { bytesToHex, type Hash, replaceKeccak256 } from "@cairn/primitives";
import type { Addon, AddonChain } from "./addon.ts";
import { addonPath, loadAddon } from "./addon.ts";
import type { AccountState, CommitOutcome } from "./boundary/block.ts";
import type { LogQuery, LogsOutcome } from "./boundary/log-query.ts";
import type { Native, NativeOptions } from "./boundary/native.ts";
import type { KeyVerdict, ProofItem, ProofVerdict, SubmittedKey } from "./boundary/proof.ts";
import { callManyText, callText, simulateText, toAccessListOutcome, toSimulateOutcome } from "./call-text.ts";
import { toNativeError } from "./error.ts";
import { exploreText, toExploreOutcome } from "./explore-text.ts";
import { pack, unpack } from "./packing.ts";
import { keyText, proofItem, toKeyVerdict, toVerdicts } from "./proof-text.ts";
import { traceByScript } from "./script-trace.ts";
import {
  blockText,
  toAddresses,
  toAdmitOutcomes,
  toCallOutcome,
  toEstimateOutcome,
  toExecuteOutcome,
  toHead,
} from "./shapes.ts";
import { toScriptPlan, toTraceOutcome, traceText } from "./trace-text.ts";

const EMPTY = new Uint8Array();

let loaded: Addon | undefined;

/** The addon, loaded once; from then on it computes the process's Keccak-256. */
function addonOfProcess(): Addon {
  if (loaded !== undefined) return loaded;
  const addon = loadAddon();
  replaceKeccak256((bytes) => {
    const { buffer, byteOffset, length } = addon.keccak256(bytes);
    return new Uint8Array(buffer, byteOffset, length);
  });
  loaded = addon;
  return addon;
}

/** Runs a synchronous call of the addon. */
function now<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw toNativeError(thrown);
  }
}

/** Runs an asynchronous call of the addon. */
async function later<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw toNativeError(thrown);
  }
}

function toAccount(bytes: Uint8Array | null): AccountState | undefined {
  if (bytes === null) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    nonce: view.getBigUint64(0),
    balanceWei: BigInt(bytesToHex(bytes.subarray(8, 40))),
    codeHash: bytesToHex(bytes.subarray(40, 72)),
  };
}

function toLogsOutcome(found: string): LogsOutcome {
  if (found === "too-many-results" || found === "timeout") return { ok: false, code: found };
  return { ok: true, json: found };
}

function toCommitOutcome(texts: readonly string[]): CommitOutcome {
  const [head = "", headerJson = "", logsJson = "", bloom = "", changed = ""] = texts;
  return {
    head: toHead(head),
    headerJson,
    logsJson,
    logsBloom: `0x${bloom.slice(2)}`,
    changed: toAddresses(changed),
  };
}

function logText(query: LogQuery): string {
  return JSON.stringify({
    from: query.fromBlock.toString(),
    to: query.toBlock.toString(),
    addresses: query.addresses,
    topics: query.topics,
    max: query.maxResults,
  });
}

/**
 * Opens (or creates) the chain database in `options.dir`.
 * @throws NativeError `addon-missing`, `invalid-genesis`, `genesis-mismatch`, `locked`, `corrupt`, `io`.
 */
export async function openNative(options: NativeOptions): Promise<Native> {
  const addon = addonOfProcess();
  return toNative(await later(() => addon.open(options.dir, options.genesis, options.cacheBytes)));
}

/** Decodes and verifies submissions, all in one batch; a verdict each, in their order. */
export async function verifyProofs(items: readonly ProofItem[]): Promise<readonly ProofVerdict[]> {
  const addon = addonOfProcess();
  return toVerdicts(await later(() => addon.verifyProofs(items.map(proofItem))));
}

/** Decodes a verification key and checks that its points are of their groups. */
export async function decodeKey(key: SubmittedKey): Promise<KeyVerdict> {
  const addon = addonOfProcess();
  return toKeyVerdict(await later(() => addon.decodeKey(keyText(key))));
}

function toNative(chain: AddonChain): Native {
  return { ...writes(chain), ...stateReads(chain), ...objectReads(chain), ...rawReads(chain) };
}

type Writes = "head" | "admit" | "propose" | "execute" | "commit" | "buildPending" | "close";

function writes(chain: AddonChain): Pick<Native, Writes> {
  return {
    head: () => now(() => toHead(chain.head())),
    admit: async (raws) => (raws.length === 0 ? [] : toAdmitOutcomes(await later(() => chain.admit(pack(raws))))),
    propose: ({ height, timestamp, miner, txs }) =>
      later(() => chain.propose(height.toString(), timestamp.toString(), miner, pack(txs))),
    execute: async ({ height, timestamp, miner, consensusHash, txs }) => {
      const run = () => chain.execute(height.toString(), timestamp.toString(), miner, consensusHash, pack(txs));
      return toExecuteOutcome(await later(run));
    },
    commit: async () => toCommitOutcome(await later(() => chain.commit())),
    buildPending: async ({ height, timestamp, miner, txs }) => {
      const run = () => chain.buildPending(height.toString(), timestamp.toString(), miner, pack(txs));
      return (await later(run)) as Hash;
    },
    close: async () => {
      await later(() => chain.close());
    },
  };
}

type StateReads =
  | "account"
  | "code"
  | "storage"
  | "blockNumber"
  | "call"
  | "callSmall"
  | "estimateGas"
  | "estimateSmall"
  | "createAccessList"
  | "simulate"
  | "callMany"
  | "trace"
  | "explore";

function stateReads(chain: AddonChain): Pick<Native, StateReads> {
  return {
    account: (address, block) => now(() => toAccount(chain.account(address, blockText(block)))),
    code: (address, block) => now(() => chain.code(address, blockText(block))) ?? undefined,
    storage: (address, slot, block) => now(() => chain.storage(address, slot, blockText(block))) ?? undefined,
    blockNumber: (hash) => {
      const number = now(() => chain.blockNumber(hash));
      return number === null ? undefined : BigInt(number);
    },
    call: async (request) => toCallOutcome(await later(() => chain.call(callText(request), request.data ?? EMPTY))),
    estimateGas: async (request) =>
      toEstimateOutcome(await later(() => chain.estimateGas(callText(request), request.data ?? EMPTY))),
    callSmall: (request) => {
      const outcome = now(() => chain.callSmall(callText(request), request.data ?? EMPTY));
      return outcome === null ? undefined : toCallOutcome(outcome);
    },
    estimateSmall: (request) => {
      const outcome = now(() => chain.estimateSmall(callText(request), request.data ?? EMPTY));
      return outcome === null ? undefined : toEstimateOutcome(outcome);
    },
    createAccessList: async (request) =>
      toAccessListOutcome(await later(() => chain.createAccessList(callText(request), request.data ?? EMPTY))),
    simulate: async (request) => toSimulateOutcome(await later(() => chain.simulate(simulateText(request)))),
    callMany: async (request) => toAccessListOutcome(await later(() => chain.callMany(callManyText(request)))),
    explore: async (request) => toExploreOutcome(await later(() => chain.explore(exploreText(request)))),
    trace: async (request) => {
      const texts = await later(() => chain.trace(traceText(request)));
      const script = toScriptPlan(texts);
      return script === undefined ? toTraceOutcome(texts) : later(() => traceByScript(addonPath(), chain, script));
    },
  };
}

type ObjectReads =
  | "headerJson"
  | "blockJson"
  | "transactionJson"
  | "transactionByIndexJson"
  | "transactionCount"
  | "receiptJson"
  | "blockReceiptsJson"
  | "logsJson"
  | "logsSmall"
  | "proofJson"
  | "feeHistoryJson";

function objectReads(chain: AddonChain): Pick<Native, ObjectReads> {
  return {
    headerJson: (block) => now(() => chain.headerJson(blockText(block))),
    blockJson: (block, full) => later(() => chain.blockJson(blockText(block), full)),
    transactionJson: (hash) => now(() => chain.transactionJson(hash)),
    transactionByIndexJson: (block, index) => now(() => chain.transactionByIndexJson(blockText(block), index)),
    transactionCount: (block) => now(() => chain.transactionCount(blockText(block))),
    receiptJson: (hash) => now(() => chain.receiptJson(hash)),
    blockReceiptsJson: (block) => later(() => chain.blockReceiptsJson(blockText(block))),
    logsJson: async (query) => toLogsOutcome(await later(() => chain.logsJson(logText(query)))),
    logsSmall: (query) => {
      const found = now(() => chain.logsSmall(logText(query)));
      return found === null ? undefined : toLogsOutcome(found);
    },
    proofJson: (address, keys, block) => later(() => chain.proofJson(address, pack(keys), blockText(block))),
    feeHistoryJson: (count, newest, percentiles) =>
      later(() => chain.feeHistoryJson(count, newest.toString(), [...percentiles])),
  };
}

type RawReads = "rawHeader" | "rawBlock" | "rawReceipts" | "rawTransaction";

function rawReads(chain: AddonChain): Pick<Native, RawReads> {
  return {
    rawHeader: (block) => now(() => chain.rawHeader(blockText(block))),
    rawBlock: (block) => later(() => chain.rawBlock(blockText(block))),
    rawReceipts: async (block) => {
      const packed = await later(() => chain.rawReceipts(blockText(block)));
      return packed === null ? null : unpack(packed);
    },
    rawTransaction: (hash) => now(() => chain.rawTransaction(hash)),
  };
}
