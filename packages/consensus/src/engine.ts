/**
 * The embedded engine: one validator that makes, signs and commits blocks on its own, byte for byte as CometBFT v0.38
 * would. Owns the loop and its end; what a height does stands in height.ts.
 */
import type { AbciApplication } from "@cairn/abci";
import { type Timestamp, timestampFromMs } from "@cairn/comet";
import { callApplication } from "./application.ts";
import { createCadence } from "./cadence.ts";
import { ConsensusError } from "./errors.ts";
import { type Genesis, loadGenesis } from "./genesis.ts";
import { handshake } from "./handshake.ts";
import { type HeightParts, runHeight } from "./height.ts";
import type { EngineHome } from "./home.ts";
import type { Log } from "./log.ts";
import { loadNodeKey, nodeId } from "./node-key.ts";
import { loadPrivValidator, type PrivValidator } from "./priv-validator.ts";
import type { EngineState } from "./state.ts";
import { type BlockReads, openStore } from "./store.ts";

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
    const reads = { genesis, store, validator: signer, nodeId: id, moniker: o.moniker ?? "cairn" };
    return runEngine(o, { app, store, signer, log: o.log, now }, reads, state);
  } catch (error) {
    store.close();
    throw error;
  }
}

function runEngine(
  o: EngineOptions,
  parts: Omit<HeightParts, "checkpoint">,
  reads: Omit<EngineReads, "state">,
  initial: EngineState,
): EmbeddedEngine {
  const { log } = o;
  const cadence = createCadence(o.blockIntervalMs);
  const listeners = new Set<(event: BlockEvent) => void>();
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  let state = initial;
  let stopping: "no" | "before-signing" | "now" = "no";
  let loop: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  const checkpoint: HeightParts["checkpoint"] = (step) => {
    const isEarly = step === "propose" || step === "sign";
    if (stopping === "now" || (stopping === "before-signing" && isEarly)) throw new Abandoned();
  };
  const publish = (event: BlockEvent): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        log.error({ error: error instanceof Error ? error.message : "unknown" }, "a block listener failed");
      }
    }
  };
  const run = async (): Promise<void> => {
    while (stopping === "no") {
      await cadence.next();
      const { sealed, state: after } = await runHeight({ ...parts, checkpoint }, state);
      state = after;
      const { height, time } = sealed.block.header;
      log.debug({ height, transactions: sealed.block.txs.length }, "committed a block");
      publish({ height, hash: sealed.id.hash, time });
    }
  };
  const runUntilEnd = (): Promise<void> =>
    run().catch((error: unknown) => {
      if (error instanceof Abandoned) return;
      const fatal = toFatal(error);
      log.error({ code: fatal.code, error: fatal.message }, "the engine halts");
      stopping = "now";
      fail(fatal);
    });
  const close = async (): Promise<void> => {
    if (stopping === "no") stopping = "before-signing";
    cadence.stop();
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_PATIENCE_MS);
    await Promise.race([loop ?? Promise.resolve(), patience]);
    clearTimeout(timer);
    stopping = "now";
    parts.store.close();
  };
  return {
    chainId: initial.chainId,
    reads: { ...reads, state: () => state },
    start: () => {
      if (stopping === "no") loop ??= runUntilEnd();
    },
    close: () => {
      closed ??= close();
      return closed;
    },
    latestHeight: () => (state.lastBlockHeight < state.initialHeight ? 0n : state.lastBlockHeight),
    onBlock: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wake: () => cadence.wake(),
    failed,
  };
}
