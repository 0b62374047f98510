/**
 * Bringing application and store to the same height at start (CometBFT's handshake).
 *
 *   application at 0       → InitChain, then as below
 *   application below store → FinalizeBlock and Commit of each missing block, hashes checked
 *   application at store    → its hash must be the recorded one
 *   application above store → refused (`app-ahead`)
 *
 * The store never lags behind itself: block, results and state of a height become durable together.
 */
import type { PublicKey } from "@cairn/comet";
import { type Application, requireAppHash } from "./application.ts";
import { ConsensusError } from "./errors.ts";
import type { Genesis } from "./genesis.ts";
import type { Log } from "./log.ts";
import { openBlock } from "./make-block.ts";
import { platformSha256 } from "./platform-sha256.ts";
import { type EngineState, initialState, requireSoleValidator } from "./state.ts";
import type { BlockStore } from "./store.ts";

/** What the handshake works on. */
export interface HandshakeParts {
  readonly app: Application;
  readonly store: BlockStore;
  readonly genesis: Genesis;
  readonly pubKey: PublicKey;
  readonly log: Log;
}

async function initChain(parts: HandshakeParts, stored: EngineState | undefined, appVersion: bigint) {
  const { app, store, genesis } = parts;
  const state = initialState(genesis, await app.initChain(genesis), appVersion, platformSha256);
  requireSoleValidator(state.validators, parts.pubKey);
  const isFresh = stored === undefined || stored.lastBlockHeight < genesis.initialHeight;
  if (isFresh) {
    store.saveState(state);
    return state;
  }
  const first = store.block(genesis.initialHeight);
  if (first === undefined) throw new ConsensusError("storage", "the first block is missing from the store");
  requireAppHash(openBlock(first.bytes, platformSha256).block.header.appHash, state.appHash, 0n);
  return stored;
}

/** Runs one stored block through the application again. */
async function replay(parts: HandshakeParts, height: bigint): Promise<void> {
  const { app, store } = parts;
  const stored = store.block(height);
  const recorded = store.appHashAfter(height);
  if (stored === undefined || recorded === undefined) {
    throw new ConsensusError("storage", `block ${height} is missing from the store`);
  }
  const signers = store.validators(height - 1n) ?? [];
  const response = await app.finalize(openBlock(stored.bytes, platformSha256), signers);
  requireAppHash(recorded, response.appHash, height);
  await app.commit();
}

/**
 * Runs the handshake and resolves with the state to go on from. Throws ConsensusError `app-ahead`, `app-mismatch`,
 * `app-error`, `genesis-mismatch`, `not-the-validator`, `several-validators`, `storage`.
 */
export async function handshake(parts: HandshakeParts): Promise<EngineState> {
  const { app, store, genesis, log } = parts;
  const stored = store.state();
  if (stored !== undefined && (stored.chainId !== genesis.chainId || stored.initialHeight !== genesis.initialHeight)) {
    throw new ConsensusError("genesis-mismatch", `the data directory belongs to chain ${stored.chainId}`);
  }
  const info = await app.info();
  const isNew = info.lastBlockHeight === 0n;
  const state = isNew ? await initChain(parts, stored, info.appVersion) : stored;
  const height = state === undefined ? 0n : state.lastBlockHeight;
  if (state === undefined || info.lastBlockHeight > height) {
    const message = `the application is at height ${info.lastBlockHeight}, the block store at ${height}`;
    throw new ConsensusError("app-ahead", `${message}: restore the store or reset the application`);
  }
  requireSoleValidator(state.validators, parts.pubKey);
  const from = isNew ? genesis.initialHeight : info.lastBlockHeight + 1n;
  for (let missing = from; missing <= height; missing++) {
    log.info({ height: missing }, "replaying a block into the application");
    await replay(parts, missing);
  }
  if (!isNew && from > height) requireAppHash(state.appHash, info.lastBlockAppHash, height);
  return state;
}
