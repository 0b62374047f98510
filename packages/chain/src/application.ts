/**
 * Owns what the consensus engine asks of the chain, as ABCI 2.0 calls it. A consensus transaction is the raw EIP-2718
 * bytes; the app hash of a height is the Ethereum hash of its block. Nothing is durable before `commit`. The pool, the
 * feeds and the native database are handed in.
 */
import {
  type AbciApplication,
  type CheckTxRequest,
  type CheckTxResponse,
  type FinalizeBlockRequest,
  type FinalizeBlockResponse,
  type InitChainRequest,
  PROPOSAL_ACCEPT,
  PROPOSAL_REJECT,
  type PrepareProposalRequest,
  type QueryRequest,
  type QueryResponse,
  type Timestamp,
} from "@cairn/abci";
import type { CommitOutcome, ExecutedTx, Head, Native } from "@cairn/native";
import { bytesToHex, hexToBytes, keccak256 } from "@cairn/primitives";
import { ChainError } from "./chain-error.ts";
import type { EthGenesis } from "./eth-genesis.ts";
import { etherbaseAt } from "./etherbase.ts";
import { blockEvents } from "./events.ts";
import { parseGenesis, sameGenesis } from "./genesis-parse.ts";
import type { LivePool } from "./live-pool.ts";
import { checkResult, txResult } from "./tx-result.ts";
import { validatorUpdates } from "./validator-updates.ts";

/** Application protocol version: stands in every consensus header. */
export const APP_VERSION = 1n;

/** What the application works on. `committed` runs after each durable commit, before the engine is answered. */
export interface ApplicationOptions {
  readonly native: Native;
  readonly genesis: EthGenesis;
  readonly pool: LivePool;
  readonly version: string;
  readonly committed: (outcome: CommitOutcome, executed: readonly ExecutedTx[]) => void;
}

/** One block as the engine hands it over, in the parts that execution needs. */
type BlockInput = Pick<FinalizeBlockRequest, "height" | "time" | "proposerAddress" | "txs">;

/** The ABCI application over an open database. */
export function createApplication(o: ApplicationOptions): AbciApplication {
  const { native, genesis, pool } = o;
  let finalized: readonly ExecutedTx[] | undefined;
  return {
    async info() {
      const { number, hash } = native.head();
      const lastBlockAppHash = number === 0n ? new Uint8Array(0) : hexToBytes(hash);
      return { data: "cairn", version: o.version, appVersion: APP_VERSION, lastBlockHeight: number, lastBlockAppHash };
    },
    async initChain(request) {
      return { validators: [], appHash: initialAppHash(native.head(), genesis, request) };
    },
    checkTx: (request) => checkTx(pool, request),
    prepareProposal: async (request) => ({ txs: await propose(native, pool, request) }),
    async processProposal(request) {
      const { txs } = await native.execute({ ...contextOf(native, request), consensusHash: request.hash });
      return txs.every((tx) => tx.included) ? PROPOSAL_ACCEPT : PROPOSAL_REJECT;
    },
    async finalizeBlock(request) {
      finalized = undefined;
      const { response, executed } = await finalize(native, request);
      finalized = executed;
      return response;
    },
    async commit() {
      if (finalized === undefined) throw new ChainError("nothing-finalized", "commit without a finalized block");
      const executed = finalized;
      const outcome = await native.commit();
      finalized = undefined;
      o.committed(outcome, executed);
      return { retainHeight: 0n };
    },
    query: async (request) => answerQuery(native.head(), request),
  };
}

async function checkTx(pool: LivePool, { tx, type }: CheckTxRequest): Promise<CheckTxResponse> {
  const hash = bytesToHex(keccak256(tx));
  const pooled = pool.view.get(hash);
  if (pooled !== undefined) return checkResult({ ok: true, hash }, pooled.gas);
  // A recheck of what is no longer pooled: it was mined, replaced or evicted, and must leave the engine's queue.
  if (type === "recheck") return checkResult({ ok: false, code: "closed" }, 0n);
  return checkResult(await pool.submit(tx), pool.view.get(hash)?.gas ?? 0n);
}

/** The pool's choice without what a dry run on the head refuses; the pool learns of the latter. */
async function propose(native: Native, pool: LivePool, request: PrepareProposalRequest) {
  const context = contextOf(native, request);
  const maxBytes = request.maxTxBytes < 0n ? 1n << 62n : request.maxTxBytes;
  const chosen = pool.select({ maxGas: native.head().gasLimit, maxBytes });
  if (chosen.length === 0) return [];
  const kept = new Set(await native.propose({ ...context, txs: chosen.map((tx) => tx.raw) }));
  if (kept.size < chosen.length) pool.refused(chosen.filter((_, index) => !kept.has(index)));
  return chosen.filter((_, index) => kept.has(index)).map((tx) => tx.raw);
}

function initialAppHash(head: Head, genesis: EthGenesis, request: InitChainRequest): Uint8Array {
  if (request.initialHeight !== 1n) throw new ChainError("genesis-mismatch", "the initial height must be 1");
  if (head.number !== 0n) throw new ChainError("genesis-mismatch", "the database already holds blocks");
  const asked = parseGenesis(new TextDecoder().decode(request.appStateBytes));
  if (!sameGenesis(asked, genesis)) {
    throw new ChainError("genesis-mismatch", "app_state is not the genesis of the database");
  }
  return hexToBytes(head.hash);
}

function contextOf(native: Native, { height, time, proposerAddress, txs }: BlockInput) {
  const head = native.head();
  if (height !== head.number + 1n) {
    throw new ChainError("wrong-height", `block ${height} does not follow the head ${head.number}`);
  }
  const miner = etherbaseAt(native, proposerAddress, head.number);
  return { height, timestamp: blockTimestamp(time, head), miner, txs };
}

/** Whole seconds of the consensus time, never below the parent's. */
function blockTimestamp(time: Timestamp, parent: Head): bigint {
  if (time.seconds < parent.timestamp) return parent.timestamp;
  return time.seconds;
}

async function finalize(
  native: Native,
  request: FinalizeBlockRequest,
): Promise<{ readonly response: FinalizeBlockResponse; readonly executed: readonly ExecutedTx[] }> {
  const context = contextOf(native, request);
  const parent = native.head();
  const baseFeePerGasWei = parent.nextBaseFeePerGasWei;
  const outcome = await native.execute({ ...context, consensusHash: request.hash });
  const executed = outcome.txs.filter((tx) => tx.included);
  let events: FinalizeBlockResponse["events"] | undefined;
  const response: FinalizeBlockResponse = {
    get events() {
      events ??= blockEvents({ height: request.height, baseFeePerGasWei, executed });
      return events;
    },
    txResults: outcome.txs.map((tx, index) => txResult(tx, request.txs[index] ?? new Uint8Array(0))),
    validatorUpdates: validatorUpdates(native, parent.number, executed),
    appHash: hexToBytes(outcome.hash),
  };
  return { response, executed };
}

function answerQuery(head: Head, { path }: QueryRequest): QueryResponse {
  const nothing = new Uint8Array(0);
  const blank = { log: "", info: "", index: 0n, key: nothing, height: head.number, codespace: "" };
  if (path === "/head") return { ...blank, code: 0, value: hexToBytes(head.hash) };
  return { ...blank, code: 1, value: nothing, log: "unknown query path", codespace: "evm" };
}
