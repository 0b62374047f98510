/** The recorded CometBFT chain in a real store, so that the RPC's answers can be compared with the recorded ones. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AbciEvent, ExecTxResult, FinalizeBlockResponse } from "@cairn/abci";
import { base64ToBytes, blockFromJson, commitFromJson, encodeBlock, validatorsFromJson } from "@cairn/comet";
import type { EmbeddedEngine } from "../engine.ts";
import { createEventBus } from "../events/event-bus.ts";
import { parseGenesis } from "../genesis.ts";
import { openBlock, type SealedBlock } from "../make-block.ts";
import { DEFAULT_PARAMS } from "../params.ts";
import { platformSha256 } from "../platform-sha256.ts";
import { packResults } from "../results.ts";
import type { EngineState } from "../state.ts";
import { openStore } from "../store.ts";
import { createTxCache } from "../tx-cache.ts";
import { createLedgerApp } from "./ledger-app.ts";

const FOLDER = new URL("../../../../test/vectors/comet-rpc/", import.meta.url);

/** Lines of one recording. */
export function readRecording<T>(name: string): T[] {
  const lines = readFileSync(new URL(name, FOLDER), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

interface ResultJson {
  code: number;
  data: string | null;
  log: string;
  info: string;
  gas_wanted: string;
  gas_used: string;
  events: AbciEvent[];
  codespace: string;
}

interface BlockRecording {
  height: number;
  block: { block: unknown };
  commit: { signed_header: { commit: unknown } };
  validators: { validators: unknown };
  block_results: {
    [key: string]: unknown;
    txs_results: ResultJson[] | null;
    validator_updates: UpdateJson[] | null;
    app_hash: string;
  };
}

function toResult(json: ResultJson): ExecTxResult {
  const { code, log, info, events, codespace } = json;
  const [gasWanted, gasUsed] = [BigInt(json.gas_wanted), BigInt(json.gas_used)];
  return { code, log, info, events, codespace, gasWanted, gasUsed, data: base64ToBytes(json.data ?? "") };
}

function stateAfter(recordings: readonly BlockRecording[], count: number): EngineState {
  const recording = recordings[Math.max(0, count - 1)];
  const set = (index: number) =>
    validatorsFromJson(recordings[Math.min(index, recordings.length - 1)]?.validators.validators);
  const block = blockFromJson(recording?.block.block);
  const sealed = openBlock(encodeBlock(block), platformSha256);
  return {
    chainId: block.header.chainId,
    initialHeight: 1n,
    lastBlockHeight: BigInt(count),
    lastBlockId: sealed.id,
    lastBlockTime: block.header.time,
    validators: set(count),
    nextValidators: set(count + 1),
    params: DEFAULT_PARAMS,
    appVersion: 1n,
    appHash: base64ToBytes(recording?.block_results.app_hash ?? ""),
    lastResultsHash: new Uint8Array(32),
  };
}

/** One recorded block with the application's response to it. */
export interface RecordedBlock {
  readonly sealed: SealedBlock;
  readonly response: FinalizeBlockResponse;
}

interface UpdateJson {
  pub_key: { Sum: { value: { ed25519: string } } };
  power?: string;
}

/** The recorded blocks as the engine had them, from height 1 on. */
export function recordedBlocks(): readonly RecordedBlock[] {
  return readRecording<BlockRecording>("blocks.jsonl").map(({ block, block_results: results }) => ({
    sealed: openBlock(encodeBlock(blockFromJson(block.block)), platformSha256),
    response: {
      events: [],
      txResults: (results.txs_results ?? []).map(toResult),
      validatorUpdates: (results.validator_updates ?? []).map(({ pub_key: key, power }) => ({
        pubKeyType: "ed25519",
        pubKey: base64ToBytes(key.Sum.value.ed25519),
        power: BigInt(power ?? "0"),
      })),
      appHash: base64ToBytes(results.app_hash),
    },
  }));
}

/** The recorded chain as the RPC reads an engine, and its end. */
export function openRecordedEngine(): Pick<EmbeddedEngine, "reads" | "latestHeight"> & { close(): void } {
  const recordings = readRecording<BlockRecording>("blocks.jsonl");
  const dir = mkdtempSync(join(tmpdir(), "cairn-recorded-"));
  const store = openStore(dir);
  store.saveState(stateAfter(recordings, 0));
  for (const [i, recording] of recordings.entries()) {
    const sealed = openBlock(encodeBlock(blockFromJson(recording.block.block)), platformSha256);
    const { height: _, txs_results: results, ...rest } = recording.block_results;
    store.saveProposal(sealed);
    store.decide({
      sealed,
      commit: commitFromJson(recording.commit.signed_header.commit),
      state: stateAfter(recordings, i + 1),
      results: packResults((results ?? []).map(toResult)),
      blockResult: JSON.stringify(rest),
    });
  }
  const genesis = parseGenesis(JSON.parse(readFileSync(new URL("genesis.json", FOLDER), "utf8")));
  const keys = JSON.parse(readFileSync(new URL("validator_pubkeys.json", FOLDER), "utf8"));
  const [own] = validatorsFromJson([{ ...keys.node, voting_power: "11", proposer_priority: "0" }]);
  if (own === undefined) throw new Error("no validator key");
  const app = createLedgerApp({ dir });
  const nodeId = "9a8b37bc9ecf0d474897d2385def51a30c51640f";
  const state = stateAfter(recordings, recordings.length);
  return {
    reads: {
      genesis,
      store,
      validator: own,
      nodeId,
      moniker: "recorder",
      events: createEventBus(),
      app,
      txCache: createTxCache(),
      state: () => state,
    },
    latestHeight: () => BigInt(recordings.length),
    close: () => {
      store.close();
      rmSync(dir, { recursive: true });
    },
  };
}
