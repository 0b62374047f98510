/** Calls into the application, in the shapes ABCI 2.0 asks for, with failures turned into typed errors. */
import {
  type AbciApplication,
  type CommitInfo,
  type FinalizeBlockRequest,
  type FinalizeBlockResponse,
  type InfoResponse,
  type InitChainResponse,
  PROPOSAL_ACCEPT,
} from "@cairn/abci";
import { bytesToUpperHex, type Commit, type Validator, validatorsHash } from "@cairn/comet";
import { ConsensusError } from "./errors.ts";
import type { Genesis } from "./genesis.ts";
import { BLOCK_VERSION, nextBlockTime, type SealedBlock } from "./make-block.ts";
import { maxDataBytes } from "./params.ts";
import { platformSha256 } from "./platform-sha256.ts";
import type { EngineState } from "./state.ts";

/** The version of CometBFT whose behaviour this engine has. */
export const COMETBFT_VERSION = "0.38.25";
const P2P_VERSION = 8n;
const ABCI_VERSION = "2.0.0";

async function called<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConsensusError) throw error;
    const detail = error instanceof Error ? error.message : "unknown";
    throw new ConsensusError("app-error", `the application failed in ${name}: ${detail}`, { cause: error });
  }
}

/** Who signed the last block: the set that signed it and the commit. Empty for the first block. */
function commitInfo(commit: Commit, signers: readonly Validator[]): CommitInfo {
  return {
    round: commit.round,
    votes: commit.signatures.map((entry, i) => ({
      address: signers[i]?.address ?? entry.validatorAddress,
      power: signers[i]?.power ?? 0n,
      blockIdFlag: entry.blockIdFlag,
    })),
  };
}

/** The application as the engine calls it. */
export interface Application {
  info(): Promise<InfoResponse>;
  initChain(genesis: Genesis): Promise<InitChainResponse>;
  /** The application's transactions for the next block. */
  prepare(state: EngineState, lastCommit: Commit, signers: readonly Validator[]): Promise<readonly Uint8Array[]>;
  /** Whether the application accepts a block. */
  accepts(sealed: SealedBlock, signers: readonly Validator[]): Promise<boolean>;
  finalize(sealed: SealedBlock, signers: readonly Validator[]): Promise<FinalizeBlockResponse>;
  commit(): Promise<void>;
}

function blockRequest(sealed: SealedBlock, signers: readonly Validator[]): FinalizeBlockRequest {
  const { header, txs, lastCommit } = sealed.block;
  return {
    txs,
    decidedLastCommit: commitInfo(lastCommit, signers),
    misbehavior: [],
    hash: sealed.id.hash,
    height: header.height,
    time: header.time,
    nextValidatorsHash: header.nextValidatorsHash,
    proposerAddress: header.proposerAddress,
  };
}

/** Wraps an application. Every method throws ConsensusError `app-error` when the application throws. */
export function callApplication(app: AbciApplication): Application {
  return {
    info: () => {
      const versions = { blockVersion: BLOCK_VERSION, p2pVersion: P2P_VERSION, abciVersion: ABCI_VERSION };
      return called("Info", () => app.info({ version: COMETBFT_VERSION, ...versions }));
    },
    initChain: (genesis) =>
      called("InitChain", () =>
        app.initChain({
          time: genesis.time,
          chainId: genesis.chainId,
          consensusParams: genesis.params,
          validators: genesis.validators.map(({ pubKey, power }) => ({
            pubKeyType: pubKey.type,
            pubKey: pubKey.bytes,
            power,
          })),
          appStateBytes: genesis.appState,
          initialHeight: genesis.initialHeight,
        }),
      ),
    prepare: async (state, lastCommit, signers) => {
      const response = await called("PrepareProposal", () =>
        app.prepareProposal({
          maxTxBytes: maxDataBytes(state.params),
          txs: [],
          localLastCommit: commitInfo(lastCommit, signers),
          misbehavior: [],
          height: state.lastBlockHeight + 1n,
          time: nextBlockTime(state, lastCommit),
          nextValidatorsHash: validatorsHash(state.nextValidators, platformSha256),
          proposerAddress: state.validators[0]?.address ?? new Uint8Array(0),
        }),
      );
      return response.txs;
    },
    accepts: async (sealed, signers) => {
      const { decidedLastCommit, ...request } = blockRequest(sealed, signers);
      const answer = await called("ProcessProposal", () =>
        app.processProposal({ ...request, proposedLastCommit: decidedLastCommit }),
      );
      return answer === PROPOSAL_ACCEPT;
    },
    finalize: (sealed, signers) => called("FinalizeBlock", () => app.finalizeBlock(blockRequest(sealed, signers))),
    commit: async () => {
      await called("Commit", () => app.commit());
    },
  };
}

/** Throws ConsensusError `app-mismatch` unless the application's hash is the recorded one. */
export function requireAppHash(recorded: Uint8Array, answered: Uint8Array, height: bigint): void {
  if (Buffer.compare(recorded, answered) === 0) return;
  const detail = `recorded ${bytesToUpperHex(recorded)}, the application answers ${bytesToUpperHex(answered)}`;
  throw new ConsensusError("app-mismatch", `application hash differs at height ${height}: ${detail}`);
}
