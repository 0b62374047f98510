/**
 * A small real application for tests: a durable ledger that counts and chains what it is given. Its file is replaced in
 * Commit, atomically, with height and hash together, as ABCI asks for.
 */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type AbciApplication,
  type ConsensusParams,
  type ExecTxResult,
  type FinalizeBlockRequest,
  type FinalizeBlockResponse,
  PROPOSAL_ACCEPT,
  PROPOSAL_REJECT,
  type ValidatorUpdate,
} from "@cairn/abci";

/** What the ledger keeps. */
export interface LedgerState {
  readonly height: string;
  readonly hash: string;
  readonly transactions: number;
}

/** Behaviour a test may choose. */
export interface LedgerOptions {
  readonly dir: string;
  /** Transactions of the next proposal; none by default. */
  readonly select?: (height: bigint) => readonly Uint8Array[];
  readonly accept?: (txs: readonly Uint8Array[]) => boolean;
  readonly validatorUpdates?: (height: bigint) => readonly ValidatorUpdate[];
  readonly paramUpdates?: (height: bigint) => ConsensusParams | undefined;
  /** Told every call's name. */
  readonly onCall?: (name: string, height?: bigint) => void;
}

const START: LedgerState = { height: "0", hash: "", transactions: 0 };

function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  const file = openSync(`${path}.new`, "r");
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

/** Reads the ledger's file. */
export function readLedger(dir: string): LedgerState {
  const path = join(dir, "ledger.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : START;
}

function applied(state: LedgerState, request: FinalizeBlockRequest): LedgerState {
  const digest = createHash("sha256").update(`${state.hash}/${request.height}/`).update(request.hash);
  for (const tx of request.txs) digest.update(tx);
  return {
    height: String(request.height),
    hash: digest.digest("hex"),
    transactions: state.transactions + request.txs.length,
  };
}

function resultOf(tx: Uint8Array): ExecTxResult {
  const key = Buffer.from(tx).toString("hex");
  const attributes = [{ key: "first", value: key.slice(0, 16), index: true }];
  const event = { type: "ledger", attributes };
  const isFailed = tx[0] === 0xff;
  return {
    code: isFailed ? 1 : 0,
    data: tx.subarray(0, 4),
    log: isFailed ? "<refused> & noted" : "",
    info: "",
    gasWanted: 21_000n,
    gasUsed: BigInt(tx.length),
    events: [event],
    codespace: "",
  };
}

/** Opens the ledger in a directory. */
export function createLedgerApp(o: LedgerOptions): AbciApplication {
  let state = readLedger(o.dir);
  let staged: LedgerState | undefined;
  const told = (name: string, height?: bigint): void => o.onCall?.(name, height);
  const finalizeBlock = async (request: FinalizeBlockRequest): Promise<FinalizeBlockResponse> => {
    told("FinalizeBlock", request.height);
    const line = `${request.height} ${Buffer.from(request.hash).toString("hex")}\n`;
    appendFileSync(join(o.dir, "finalized.log"), line);
    staged = applied(state, request);
    const params = o.paramUpdates?.(request.height);
    return {
      events: [{ type: "ledger", attributes: [{ key: "height", value: String(request.height), index: true }] }],
      txResults: request.txs.map(resultOf),
      validatorUpdates: o.validatorUpdates?.(request.height) ?? [],
      ...(params === undefined ? {} : { consensusParamUpdates: params }),
      appHash: Buffer.from(staged.hash, "hex"),
    };
  };
  return {
    info: async () => {
      told("Info");
      const lastBlockAppHash = Buffer.from(state.hash, "hex");
      return { data: "ledger", version: "1", appVersion: 3n, lastBlockHeight: BigInt(state.height), lastBlockAppHash };
    },
    initChain: async () => {
      told("InitChain");
      return { validators: [], appHash: new Uint8Array(0) };
    },
    checkTx: async () => ({ ...resultOf(new Uint8Array(0)), data: new Uint8Array(0) }),
    prepareProposal: async ({ height }) => {
      told("PrepareProposal", height);
      return { txs: o.select?.(height) ?? [] };
    },
    processProposal: async ({ txs, height }) => {
      told("ProcessProposal", height);
      return (o.accept?.(txs) ?? true) ? PROPOSAL_ACCEPT : PROPOSAL_REJECT;
    },
    finalizeBlock,
    commit: async () => {
      told("Commit");
      if (staged === undefined) throw new Error("nothing to commit");
      replaceFile(join(o.dir, "ledger.json"), JSON.stringify(staged));
      state = staged;
      staged = undefined;
      return { retainHeight: 0n };
    },
    query: async ({ height }) => ({
      code: 0,
      log: "",
      info: "",
      index: 0n,
      key: new Uint8Array(0),
      value: new Uint8Array(0),
      height,
      codespace: "",
    }),
  };
}
