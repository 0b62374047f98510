/**
 * The embedded regtest node: chain, mempool, miner, RPC. Real transactions and blocks at regtest difficulty; what it
 * accepted survives a kill. Peers and wallets are not part of it.
 */
import { displayHash, parseDisplayHash } from "@cairn/bitcoin";
import type { Log, Regtest, RegtestOptions } from "../types.ts";
import { openChain, type RegtestChain } from "./chain.ts";
import { holdsDatabase, openDatabase, unsynced } from "./database.ts";
import { type Faucet, openFaucet } from "./faucet.ts";
import { RegtestFault } from "./fault.ts";
import { COINBASE_MATURITY } from "./genesis.ts";
import { mineBlock } from "./miner.ts";
import { createRpcServer } from "./rpc-server.ts";

const FIRST_BLOCKS = COINBASE_MATURITY + 1;

/** A regtest that must be there already is not. */
export class NoRegtestError extends Error {
  override readonly name = "NoRegtestError";
  constructor() {
    super("the directory holds no regtest chain");
  }
}

interface Running {
  readonly chain: RegtestChain;
  readonly faucet: Faucet;
  readonly nowSeconds: () => number;
}

/** Opens or creates the node in `dir` and starts serving and mining. A new chain starts with 101 blocks. */
export async function createRegtest(options: RegtestOptions): Promise<Regtest> {
  const { host = "127.0.0.1", port = 0, now = Date.now, log } = options;
  const nowSeconds = (): number => Math.floor(now() / 1000);
  if (options.mustExist === true && !holdsDatabase(options.dir)) throw new NoRegtestError();
  const database = openDatabase(options.dir);
  const chain = openChain(database, nowSeconds);
  const node: Running = { chain, faucet: openFaucet(chain), nowSeconds };
  if (chain.tip().height < FIRST_BLOCKS) unsynced(database, () => mineFirstBlocks(node));
  const started = now();
  const target = {
    chain,
    mine: (count: number, scriptPubKey: Uint8Array) => mineMany(node, count, { scriptPubKey }),
    uptime: () => Math.floor((now() - started) / 1000),
  };
  const server = await createRpcServer({ host, port, user: options.user, password: options.password, target, log });
  const stopMining = startMining(node, options.blockIntervalMs, log);
  const credentials = `${encodeURIComponent(options.user)}:${encodeURIComponent(options.password)}`;
  return {
    url: `http://${credentials}@${host.includes(":") ? `[${host}]` : host}:${server.port}`,
    host,
    port: server.port,
    genesisHash: displayHash(chain.store.activeHash(0) ?? new Uint8Array(32)),
    height: () => chain.tip().height,
    bestBlockHash: () => displayHash(chain.tip().hash),
    mine: async (count, o) => mineMany(node, count, o),
    fundAddress: async (address, valueSat) => node.faucet.fund(address, valueSat),
    invalidateBlock: async (hash) => chain.invalidate(parseDisplayHash(hash)),
    reconsiderBlock: async (hash) => chain.reconsider(parseDisplayHash(hash)),
    close: async () => {
      stopMining();
      await server.close();
      database.close();
    },
  };
}

// Blocks one second apart that end now, so that the first coinbase is mature at once.
function mineFirstBlocks(node: Running): void {
  const start = node.nowSeconds() - FIRST_BLOCKS;
  for (let i = node.chain.tip().height; i < FIRST_BLOCKS; i += 1) mineOne(node, { time: start + i });
}

interface MineOptions {
  readonly scriptPubKey?: Uint8Array;
  readonly empty?: boolean;
  /** Seconds; default now. */
  readonly time?: number;
}

function mineMany(node: Running, count: number, o: MineOptions = {}): readonly string[] {
  return Array.from({ length: count }, () => mineOne(node, o));
}

function mineOne(node: Running, o: MineOptions): string {
  const { chain } = node;
  const tip = chain.tip();
  const medianTime = chain.medianTime(tip.hash);
  const block = mineBlock({
    previous: chain.header(tip.hash),
    height: tip.height + 1,
    time: Math.max(o.time ?? node.nowSeconds(), medianTime + 1),
    scriptPubKey: o.scriptPubKey ?? node.faucet.scriptPubKey,
    entries: o.empty === true ? [] : chain.mempool.entries(),
    extraNonce: randomNonce(),
  });
  const refused = chain.acceptBlock(block);
  if (refused !== null) throw new RegtestFault(-1, `own block refused: ${refused}`);
  return displayHash(chain.tip().hash);
}

function randomNonce(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}

function startMining(node: Running, intervalMs: number, log: Log): () => void {
  if (intervalMs <= 0) return () => undefined;
  let told = "";
  const timer = setInterval(() => {
    try {
      mineOne(node, {});
      told = "";
    } catch (error) {
      const level = String(error) === told ? "debug" : "error";
      told = String(error);
      log[level]({ error: told }, "regtest block not mined");
    }
  }, intervalMs);
  return () => clearInterval(timer);
}
