/**
 * The embedded engine: one validator that makes, signs and commits blocks on its own, byte for byte as CometBFT v0.38
 * would. Owns the loop and its end; what a height does stands in height.ts.
 */
import type { AbciApplication } from "@cairn/abci";
import { type Timestamp, timestampFromMs } from "@cairn/comet";
import { callApplication } from "./application.ts";
import { type Cadence, createCadence } from "./cadence.ts";
import { ConsensusError } from "./errors.ts";
import { createEventBus, type EventBus } from "./events/event-bus.ts";
import { synchronised } from "./events/step-events.ts";
import { type Genesis, loadGenesis } from "./genesis.ts";
import { handshake } from "./handshake.ts";
import { type HeightParts, runHeight } from "./height.ts";
import type { EngineHome } from "./home.ts";
import type { Log } from "./log.ts";
import { loadNodeKey, nodeId } from "./node-key.ts";
import { loadPrivValidator, type PrivValidator } from "./priv-validator.ts";
import type { EngineState } from "./state.ts";
import { type BlockReads, openStore } from "./store.ts";
import { createTxCache, type TxCache } from "./tx-cache.ts";
import type { TxKeysPort } from "./tx-index.ts";

/** How long close() waits for a call into the application before it abandons the height, in milliseconds. */
const CLOSE_PATIENCE_MS = 1_500;

/** Settings of {@link createEmbeddedEngine}. */
export interface EngineOptions {
  readonly home: EngineHome;
  readonly app: AbciApplication;
  /** Milliseconds from the start of one block to that of the next. */
  readonly blockIntervalMs: number;
  /** Shown by the RPC's `status`. */
  readonly moniker?: string;
  readonly log: Log;
  /** Wall clock; the system's by default. */
  readonly now?: () => Timestamp;
  /** What transactions are found by; without it a search reads their results. */
  readonly txKeys?: TxKeysPort;
}

/** A block that has been committed by the application. */
export interface BlockEvent {
  readonly height: bigint;
  readonly hash: Uint8Array;
  readonly time: Timestamp;
}

/** What the consensus RPC reads. Only heights up to `latestHeight()` are decided. */
export interface EngineReads {
  readonly genesis: Genesis;
  readonly store: BlockReads;
  readonly validator: Pick<PrivValidator, "pubKey" | "address">;
  readonly nodeId: string;
  readonly moniker: string;
  /** Events of heights, published after their commit. */
  readonly events: EventBus;
  readonly txKeys?: TxKeysPort;
  /** The application, as far as the RPC may ask it. */
  readonly app: Pick<AbciApplication, "checkTx" | "info" | "query">;
  /** Transactions handed in through the RPC lately. */
  readonly txCache: TxCache;
  state(): EngineState;
}

/** A running engine. */
export interface EmbeddedEngine {
  readonly chainId: string;
  readonly reads: EngineReads;
  /** Starts making blocks. */
  start(): void;
  /** Finishes or abandons the height in progress and closes the store, within two seconds. */
  close(): Promise<void>;
  /** Height of the last block the application has committed; 0 before the first. */
  latestHeight(): bigint;
  /** Peers it is connected to: none, as it has no network. */
  peerCount(): number;
  /** Calls the listener after every commit, in order; answers a function that stops that. */
  onBlock(listener: (event: BlockEvent) => void): () => void;
  /** Starts the next block at once when the engine is waiting for its time. */
  wake(): void;
  /** Rejects with a ConsensusError when the engine halts; never resolves. */
  readonly failed: Promise<never>;
}

/** Thrown through a height that close() abandons. */
class Abandoned extends Error {}

function toFatal(error: unknown): ConsensusError {
  if (error instanceof ConsensusError) return error;
  return new ConsensusError("storage", error instanceof Error ? error.message : "unknown failure", { cause: error });
}

/** Opens home and store and runs the handshake; blocks start with `start()`. Throws ConsensusError. */
export async function createEmbeddedEngine(o: EngineOptions): Promise<EmbeddedEngine> {
  const genesis = await loadGenesis(o.home.genesisFile);
  const signer = await loadPrivValidator(o.home);
  const id = nodeId(await loadNodeKey(o.home.nodeKeyFile));
  const store = openStore(o.home.dataDir);
  try {
    const app = callApplication(o.app);
    const state = await handshake({ app, store, genesis, pubKey: signer.pubKey, log: o.log });
    const now = o.now ?? (() => timestampFromMs(Date.now()));
    const events = createEventBus();
    const named = { validator: signer, nodeId: id, moniker: o.moniker ?? "cairn" };
    const reads = { genesis, store, ...named, events, app: o.app, txCache: createTxCache() };
    const keys = o.txKeys === undefined ? {} : { txKeys: o.txKeys };
    const parts = { app, store, signer, log: o.log, now, publish: events.publish, ...keys };
    return runEngine(o, parts, { ...reads, ...keys }, state);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** How far a height may still go: on, to the end unless it is unsigned, or no further. */
type Stopping = "no" | "before-signing" | "now";

/** The loop that makes one height after the other until it is stopped or fails. */
interface HeightLoop {
  readonly state: () => EngineState;
  run(): Promise<void>;
  stop(how: Exclude<Stopping, "no">): void;
}

function createHeightLoop(
  parts: Omit<HeightParts, "checkpoint">,
  cadence: Cadence,
  initial: EngineState,
  publish: (event: BlockEvent) => void,
): HeightLoop {
  let state = initial;
  let stopping: Stopping = "no";
  const isRunning = (): boolean => stopping === "no";
  const checkpoint: HeightParts["checkpoint"] = (step) => {
    const isEarly = step === "propose" || step === "sign";
    if (stopping === "now" || (stopping === "before-signing" && isEarly)) throw new Abandoned();
  };
  return {
    state: () => state,
    run: async () => {
      while (isRunning()) {
        await cadence.next();
        const { sealed, state: after, publish: publishEvents } = await runHeight({ ...parts, checkpoint }, state);
        state = after;
        const { height, time } = sealed.block.header;
        parts.log.debug({ height, transactions: sealed.block.txs.length }, "committed a block");
        publish({ height, hash: sealed.id.hash, time });
        publishEvents();
      }
    },
    stop: (how) => {
      if (stopping !== "now") stopping = how;
      cadence.stop();
    },
  };
}

/** Listeners of committed blocks; one that throws disturbs neither the others nor the engine. */
function createListeners(log: Log) {
  const listeners = new Set<(event: BlockEvent) => void>();
  return {
    add: (listener: (event: BlockEvent) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    publish: (event: BlockEvent): void => {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          log.error({ error: error instanceof Error ? error.message : "unknown" }, "a block listener failed");
        }
      }
    },
  };
}

function runEngine(
  o: EngineOptions,
  parts: Omit<HeightParts, "checkpoint">,
  reads: Omit<EngineReads, "state">,
  initial: EngineState,
): EmbeddedEngine {
  const cadence = createCadence(o.blockIntervalMs);
  const listeners = createListeners(o.log);
  const loop = createHeightLoop(parts, cadence, initial, listeners.publish);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  let running: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  const halt = (error: unknown): void => {
    if (error instanceof Abandoned) return;
    const fatal = toFatal(error);
    o.log.error({ code: fatal.code, error: fatal.message }, "the engine halts");
    loop.stop("now");
    fail(fatal);
  };
  const close = async (): Promise<void> => {
    loop.stop("before-signing");
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_PATIENCE_MS);
    await Promise.race([running, patience]);
    clearTimeout(timer);
    loop.stop("now");
    reads.events.close();
    parts.store.close();
  };
  const latestHeight = (): bigint => {
    const { lastBlockHeight, initialHeight } = loop.state();
    return lastBlockHeight < initialHeight ? 0n : lastBlockHeight;
  };
  return {
    chainId: initial.chainId,
    reads: { ...reads, state: loop.state },
    start: () => {
      if (closed !== undefined || running !== undefined) return;
      reads.events.publish(() => synchronised(latestHeight()));
      running = loop.run().catch(halt);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
    latestHeight,
    peerCount: () => 0,
    onBlock: listeners.add,
    wake: () => cadence.wake(),
    failed,
  };
}
