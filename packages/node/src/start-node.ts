/**
 * Owns starting and stopping a node: database, chain, consensus engine, consensus RPC, JSON-RPC, in this order; the
 * engine makes its first block only when everything listens. No rules of any of them.
 */
import { mkdirSync } from "node:fs";
import type { ListenAddress } from "@cairn/api";
import { type Chain, createChain, type Log, txKeys } from "@cairn/chain";
import { ConsensusError, createConsensusRpc, createEmbeddedEngine, type EmbeddedEngine } from "@cairn/consensus";
import { type Keystore, LIGHT_COST, openKeystore, STANDARD_COST } from "@cairn/keystore";
import { NativeError, type NativeErrorCode, openNative } from "@cairn/native";
import type { LogLevel } from "@cairn/rpc";
import type { ConfigKey, NodeConfig } from "./config/schema.ts";
import { engineHome } from "./init-node-home.ts";
import { serveJsonRpc } from "./json-rpc.ts";
import { nameListener } from "./listen-error.ts";
import { loadNodeConfig } from "./load-config.ts";
import { createMinGasPriceWriter } from "./min-gas-price.ts";
import { NodeError, type NodeErrorCode } from "./node-error.ts";
import { type Closable, createParts, type Parts } from "./parts.ts";
import { type ReadHome, readHome } from "./read-home.ts";
import { VERSION } from "./version.ts";

/** What to start. What is given here wins over `config`. */
export interface StartNodeOptions {
  readonly home: string;
  /** Default: the home's app.toml alone. */
  readonly config?: NodeConfig;
  /** Settings that flags or the environment fix: app.toml's value of them has no effect. */
  readonly pinned?: ReadonlySet<ConfigKey>;
  readonly blockIntervalMs?: number;
  readonly jsonRpc?: {
    readonly http?: ListenAddress;
    readonly ws?: ListenAddress;
    readonly namespaces?: readonly string[];
  };
  readonly consensusRpc?: ListenAddress;
  readonly log: Log;
  /** Changes the level of `log`, for `debug_verbosity`. */
  readonly setLogLevel?: (level: LogLevel) => void;
}

/** A node that answers and makes blocks. URLs carry the ports really taken. */
export interface RunningNode {
  /** Empty when JSON-RPC is switched off. */
  readonly jsonRpcUrl: string;
  /** Empty when JSON-RPC is switched off. */
  readonly jsonRpcWsUrl: string;
  readonly consensusRpcUrl: string;
  readonly evmChainId: bigint;
  /** Rejects with `NodeError` when the node cannot go on; never resolves. Close it then. */
  readonly failed: Promise<never>;
  /** Stops everything, within five seconds. */
  close(): Promise<void>;
}

/** Starts a node on an initialized home. Rejects with `NodeError` or `ConfigError`; nothing stays open then. */
export async function startNode(options: StartNodeOptions): Promise<RunningNode> {
  const config = options.config ?? (await loadNodeConfig({ home: options.home }));
  const read = await readHome(options.home);
  const parts = createParts(options.log);
  try {
    return await startParts(options, config, read, parts);
  } catch (error) {
    await parts.close();
    throw toNodeError(error);
  }
}

async function startParts(
  options: StartNodeOptions,
  config: NodeConfig,
  read: ReadHome,
  parts: Parts,
): Promise<RunningNode> {
  const { log } = options;
  const chain = await openChain(config, read, parts, log);
  const engine = await parts.open("consensus engine", () =>
    createEmbeddedEngine({
      home: engineHome(read.home),
      app: chain.app,
      blockIntervalMs: options.blockIntervalMs ?? config["consensus.block-interval"],
      txKeys,
      log,
    }),
  );
  const consensusRpc = await parts.open("consensus RPC", () => listenConsensus(options, config, engine));
  const jsonRpc = await openJsonRpc({ options, config, read, parts, chain, engine });
  engine.start();
  return {
    jsonRpcUrl: jsonRpc?.httpUrl ?? "",
    jsonRpcWsUrl: jsonRpc?.wsUrl ?? "",
    consensusRpcUrl: consensusRpc.url,
    evmChainId: chain.chainId,
    failed: failureOf(engine),
    close: () => parts.close(),
  };
}

async function openChain(config: NodeConfig, read: ReadHome, parts: Parts, log: Log): Promise<Chain> {
  const { genesis, home } = read;
  const native = await parts.open("database", () => {
    // The database's own files are as readable as the umask lets them be: its directory is not.
    mkdirSync(home.stateDir, { recursive: true, mode: 0o700 });
    return openNative({
      dir: home.stateDir,
      genesis: JSON.stringify(genesis),
      cacheBytes: config["state.cache"] * 1024 * 1024,
    });
  });
  const make = () =>
    createChain({
      native,
      genesis,
      minGasPriceWei: config["minimum-gas-prices"],
      poolLimits: {
        accountSlots: config["txpool.account-slots"],
        globalSlots: config["txpool.global-slots"],
        accountQueue: config["txpool.account-queue"],
        globalQueue: config["txpool.global-queue"],
        lifetimeMs: config["txpool.lifetime"],
        priceBump: BigInt(config["txpool.price-bump"]),
        priceLimitWei: config["txpool.price-limit"],
      },
      filterLimits: {
        timeoutMs: config["json-rpc.filter-timeout"],
        maxFilters: config["json-rpc.filter-cap"],
        maxPerConnection: Math.ceil(config["json-rpc.filter-cap"] / 4),
      },
      ...(config["txpool.journal"] ? { poolJournalFile: home.poolJournalFile } : {}),
      version: VERSION,
      log,
    });
  const chain = await parts.open("chain", make);
  const { read: journaled, pooled } = await chain.restorePool();
  if (journaled > 0) log.info({ journaled, pooled }, "transactions pooled before the restart");
  return chain;
}

async function listenConsensus(options: StartNodeOptions, config: NodeConfig, engine: EmbeddedEngine) {
  const address = options.consensusRpc ?? config["rpc.laddr"];
  try {
    return await createConsensusRpc({ engine, ...address, log: options.log });
  } catch (error) {
    throw nameListener(error, [{ flag: "--rpc.laddr", address }]);
  }
}

interface Started {
  readonly options: StartNodeOptions;
  readonly config: NodeConfig;
  readonly read: ReadHome;
  readonly parts: Parts;
  readonly chain: Chain;
  readonly engine: EmbeddedEngine;
}

async function openJsonRpc({ options, config, read, parts, chain, engine }: Started) {
  if (!config["json-rpc.enable"]) return undefined;
  const { jsonRpc, log, setLogLevel } = options;
  const keystore = await parts.open("key store", () => openNodeKeystore(config, read));
  for (const { address } of await keystore.accounts()) chain.addLocal(address);
  return parts.open("JSON-RPC", () =>
    serveJsonRpc({
      chain,
      http: jsonRpc?.http ?? config["json-rpc.address"],
      ws: jsonRpc?.ws ?? config["json-rpc.ws-address"],
      namespaces: jsonRpc?.namespaces ?? config["json-rpc.api"],
      config,
      keystore,
      ...(read.operatorKey === undefined ? {} : { operatorKey: read.operatorKey }),
      saveMinGasPrice: createMinGasPriceWriter(read.home.appToml, { pinned: options.pinned, log }),
      secrets: { token: read.operatorToken, jwtSecret: read.jwtSecret, nowMs: Date.now },
      syncing: syncStatus(chain, engine),
      peerCount: () => engine.peerCount(),
      validatorAddress: engine.reads.validator.address,
      debugDir: read.home.debugDir,
      ...(setLogLevel === undefined ? {} : { setLogLevel }),
      log,
    }),
  );
}

async function openNodeKeystore(config: NodeConfig, { home }: ReadHome): Promise<Keystore & Closable> {
  const cost = config["keystore.light-kdf"] ? LIGHT_COST : STANDARD_COST;
  const keystore = await openKeystore({ dir: home.keystoreDir, cost });
  return { ...keystore, close: async () => keystore.close() };
}

/** The height in progress is no lag: only a chain further behind is catching up. */
function syncStatus(chain: Chain, engine: EmbeddedEngine) {
  const startingBlock = chain.head().number;
  return () => {
    const currentBlock = chain.head().number;
    const highestBlock = engine.latestHeight();
    return highestBlock > currentBlock + 1n ? { startingBlock, currentBlock, highestBlock } : (false as const);
  };
}

function failureOf(engine: EmbeddedEngine): Promise<never> {
  const failed = engine.failed.catch((error: unknown) => Promise.reject(toNodeError(error)));
  // Whoever holds the node may look at it late; an unheard failure must not end the process on its own.
  failed.catch(() => undefined);
  return failed;
}

function toNodeError(error: unknown): unknown {
  if (error instanceof ConsensusError) {
    const code = error.code === "locked" || error.code === "invalid-home" ? error.code : "engine-failed";
    return new NodeError(code, `consensus engine: ${error.message}`, { cause: error });
  }
  if (error instanceof NativeError) {
    const [code, message] = DATABASE_FAULTS[error.code];
    return new NodeError(code, `database: ${message}`, { cause: error });
  }
  return error;
}

const DATABASE_FAULTS: Readonly<Record<NativeErrorCode, readonly [NodeErrorCode, string]>> = {
  "addon-missing": ["state-failed", "the native core is not built; run the set-up again"],
  "genesis-mismatch": ["invalid-home", "it was made from another genesis than config/genesis.json"],
  "invalid-genesis": ["invalid-home", "config/genesis.json does not describe a chain the core can start"],
  locked: ["locked", "another process uses this home"],
  corrupt: ["state-failed", "it is damaged"],
  io: ["state-failed", "it cannot be read or written; is the disk full?"],
  closed: ["state-failed", "it was closed"],
  state: ["state-failed", "the core refuses to go on"],
};
