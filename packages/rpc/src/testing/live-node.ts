/**
 * For tests: the whole JSON-RPC side over a real chain on a real database in a temporary directory, with blocks made
 * through the application's ABCI calls.
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROPOSAL_ACCEPT } from "@cairn/abci";
import { createDispatcher, DEFAULT_NAMESPACES, methodTables } from "@cairn/api";
import {
  buildGenesis,
  type Chain,
  createChain,
  type EthGenesis,
  type GenesisAlloc,
  SANDBOX_ACCOUNTS,
  SANDBOX_BALANCE_WEI,
} from "@cairn/chain";
import { createJsonRpcServer, type JsonRpcServer } from "@cairn/jsonrpc";
import { type Keystore, openKeystore } from "@cairn/keystore";
import { openNative } from "@cairn/native";
import { bytesToHex, ZERO_ADDRESS } from "@cairn/primitives";
import { createHandlers } from "../create-handlers.ts";
import type { RpcOptions } from "../options.ts";

const PROPOSER = new Uint8Array(20).fill(0x11);
const GENESIS_SECONDS = 1_700_000_000n;
const TOKEN = "Bearer right";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A node without consensus: the test or the arrival of transactions makes blocks. */
export interface LiveNode {
  readonly url: string;
  readonly wsUrl: string;
  readonly chain: Chain;
  /** Faults that handlers raised: none in a good run. */
  readonly faults: unknown[];
  /** Makes the next block of what the pool selects. */
  produce(): Promise<void>;
  readonly keystore: Keystore;
  /** Minimum gas prices that `miner_setGasPrice` saved. */
  readonly savedGasPrices: readonly bigint[];
  /** One call over HTTP: the parsed reply. */
  rpc(method: string, ...params: unknown[]): Promise<RpcReply>;
  /** The same as the operator. */
  asOperator(method: string, ...params: unknown[]): Promise<RpcReply>;
  close(): Promise<void>;
}

/** A parsed reply. */
export interface RpcReply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The genesis of every such node, with further accounts. */
export function testGenesis(alloc: GenesisAlloc = {}): EthGenesis {
  const owner = SANDBOX_ACCOUNTS[0] ?? ZERO_ADDRESS;
  const validator = {
    consensusAddress: bytesToHex(PROPOSER),
    pubKey: `0x${"33".repeat(32)}`,
    power: 10n,
    operator: owner,
    etherbase: owner,
  } as const;
  return buildGenesis({
    alloc,
    timestampSeconds: GENESIS_SECONDS,
    owner,
    validators: [validator],
    balances: Object.fromEntries(SANDBOX_ACCOUNTS.map((account) => [account, SANDBOX_BALANCE_WEI])),
  });
}

async function produceBlock({ app, head }: Chain): Promise<void> {
  const height = head().number + 1n;
  const time = { seconds: GENESIS_SECONDS + height, nanos: 0 };
  const block = { height, time, misbehavior: [], nextValidatorsHash: new Uint8Array(32), proposerAddress: PROPOSER };
  const commit = { round: 0, votes: [] };
  const { txs } = await app.prepareProposal({ ...block, txs: [], maxTxBytes: 20_000_000n, localLastCommit: commit });
  const hash = new Uint8Array(createHash("sha256").update(String(height)).digest());
  const verdict = await app.processProposal({ ...block, txs, hash, proposedLastCommit: commit });
  if (verdict !== PROPOSAL_ACCEPT) throw new Error("the application refuses its own proposal");
  await app.finalizeBlock({ ...block, txs, hash, decidedLastCommit: commit });
  await app.commit();
}

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

async function post(url: string, call: Call, headers: Readonly<Record<string, string>> = {}): Promise<RpcReply> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...call });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return (await response.json()) as RpcReply;
}

function callsTo(server: JsonRpcServer): Pick<LiveNode, "url" | "wsUrl" | "rpc" | "asOperator"> {
  const url = server.httpUrl ?? "";
  return {
    url,
    wsUrl: server.wsUrl ?? "",
    rpc: (method, ...params) => post(url, { method, params }),
    asOperator: (method, ...params) => post(url, { method, params }, { authorization: TOKEN }),
  };
}

/** Runs an action once after another; `idle` resolves when none is left. */
function inTurn(action: () => Promise<void>): (() => Promise<void>) & { readonly idle: () => Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  const run = (): Promise<void> => {
    last = last.then(action);
    return last;
  };
  return Object.assign(run, { idle: () => last });
}

const NAMESPACES = [...DEFAULT_NAMESPACES, "txpool", "debug", "miner", "personal", "trace", "ots"];

type Setup = { readonly automine?: boolean; readonly alloc?: GenesisAlloc } & Partial<RpcOptions>;

/** Starts one. `automine`: a block as soon as executable transactions arrive. */
export async function startLiveNode({ automine = true, alloc = {}, ...options }: Setup = {}): Promise<LiveNode> {
  const dir = await mkdtemp(join(tmpdir(), "cairn-rpc-"));
  const genesis = testGenesis(alloc);
  const native = await openNative({ dir, genesis: JSON.stringify(genesis) });
  const chain = createChain({ native, genesis, log: silent });
  const keystore = await openKeystore({ dir: join(dir, "keystore"), cost: { n: 2, r: 1, p: 1 } });
  const savedGasPrices: bigint[] = [];
  const handlers = createHandlers(chain, {
    clientVersion: "Cairn/test",
    namespaces: NAMESPACES,
    consensusAddress: PROPOSER,
    keystore,
    saveMinGasPrice: async (wei) => void savedGasPrices.push(wei),
    debugDir: join(dir, "debug"),
    ...options,
  });
  const faults: unknown[] = [];
  const dispatch = createDispatcher({
    tables: methodTables,
    handlers,
    namespaces: NAMESPACES,
    authorize: ({ authorization }) => authorization === TOKEN,
    onFault: (error) => faults.push(error),
  });
  const at = { host: "127.0.0.1", port: 0 };
  const server = await createJsonRpcServer({ http: at, ws: at, dispatch, log: silent });
  const produce = inTurn(() => produceBlock(chain));
  if (automine) chain.onTransaction(() => void produce());
  return {
    ...callsTo(server),
    chain,
    faults,
    produce,
    keystore,
    savedGasPrices,
    async close() {
      await server.close();
      keystore.close();
      handlers.close();
      await produce.idle();
      await chain.close();
      await native.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
