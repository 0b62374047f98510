/** Results of the consensus RPC's routes as JSON text, read from the engine. Fails with CometBFT's texts. */
import {
  type Block,
  blockIdToJson,
  blockToJson,
  bytesToUpperHex,
  commitToJson,
  dataHash,
  decodeBlock,
  type Header,
  headerToJson,
  merkleProof,
  publicKeyToJson,
  timestampToRfc3339,
  txHash,
  validatorsToJson,
} from "@cairn/comet";
import { COMETBFT_VERSION } from "../application.ts";
import type { EmbeddedEngine } from "../engine.ts";
import { BLOCK_VERSION } from "../make-block.ts";
import { paramsToJson } from "../params.ts";
import { platformSha256 } from "../platform-sha256.ts";
import { resultAt, unpackResults } from "../results.ts";

/** A handler's failure; the message becomes the error's `data`. */
export class RouteFailure extends Error {}

type Engine = Pick<EmbeddedEngine, "reads" | "latestHeight">;

const CHANNELS = "40202122233038606100";
const MAX_PER_PAGE = 100n;
const DEFAULT_PER_PAGE = 30n;
const MAX_METAS = 20n;
const MAX_GENESIS_BYTES = 16 * 1024 * 1024;
/** There are no peers to listen to; clients refuse an empty text here. */
const NO_PEER_ADDRESS = "tcp://127.0.0.1:0";
const NO_TIME = "1970-01-01T00:00:00Z";
const NULL_BLOCK = '{"block_id":{"hash":"","parts":{"total":0,"hash":""}},"block":null}';

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** The height asked for, checked against the chain; `tip` is the default and the highest allowed. */
function checkedHeight(engine: Engine, asked: bigint | undefined, tip: bigint): bigint {
  if (asked === undefined) return tip;
  if (asked <= 0n) throw new RouteFailure(`height must be greater than 0, but got ${asked}`);
  if (asked > tip) {
    throw new RouteFailure(`height ${asked} must be less than or equal to the current blockchain height ${tip}`);
  }
  const base = engine.reads.genesis.initialHeight;
  if (asked < base) throw new RouteFailure(`height ${asked} is not available, lowest height is ${base}`);
  return asked;
}

interface Opened {
  readonly block: Block;
  readonly idJson: ReturnType<typeof blockIdToJson>;
  readonly size: number;
}

function openedBlock(engine: Engine, height: bigint): Opened | undefined {
  const stored = height > engine.latestHeight() ? undefined : engine.reads.store.block(height);
  if (stored === undefined) return undefined;
  return { block: decodeBlock(stored.bytes), idJson: blockIdToJson(stored.id), size: stored.bytes.length };
}

function requiredBlock(engine: Engine, height: bigint): Opened {
  const opened = openedBlock(engine, height);
  if (opened === undefined) throw new RouteFailure(`block at height ${height} not found`);
  return opened;
}

/** `block` and `block_by_hash`. */
export function blockResult(engine: Engine, height: bigint | undefined): string {
  const opened = openedBlock(engine, checkedHeight(engine, height, engine.latestHeight()));
  if (opened === undefined) return NULL_BLOCK;
  return JSON.stringify({ block_id: opened.idJson, block: blockToJson(opened.block, toBase64) });
}

/** `block_by_hash`; an unknown hash gives a null block. */
export function blockByHashResult(engine: Engine, hash: Uint8Array): string {
  const height = engine.reads.store.heightOf(hash);
  return height === undefined || height > engine.latestHeight() ? NULL_BLOCK : blockResult(engine, height);
}

/** `header`. */
export function headerResult(engine: Engine, height: bigint | undefined): string {
  const opened = openedBlock(engine, checkedHeight(engine, height, engine.latestHeight()));
  return JSON.stringify({ header: opened === undefined ? null : headerToJson(opened.block.header) });
}

/** `header_by_hash`; an unknown hash gives null. */
export function headerByHashResult(engine: Engine, hash: Uint8Array): string {
  const height = engine.reads.store.heightOf(hash);
  return height === undefined || height > engine.latestHeight() ? '{"header":null}' : headerResult(engine, height);
}

/** `commit`; the tip's is the one this node has seen, not yet canonical. */
export function commitResult(engine: Engine, asked: bigint | undefined): string {
  const tip = engine.latestHeight();
  const height = checkedHeight(engine, asked, tip);
  const commit = engine.reads.store.commit(height);
  const opened = openedBlock(engine, height);
  if (commit === undefined || opened === undefined) {
    return '{"signed_header":{"header":null,"commit":null},"canonical":false}';
  }
  const signedHeader = { header: headerToJson(opened.block.header), commit: commitToJson(commit) };
  return JSON.stringify({ signed_header: signedHeader, canonical: height !== tip });
}

/** Entries of a page, by CometBFT's rule. */
export function pageSize(perPage: bigint | undefined): bigint {
  if (perPage === undefined || perPage < 1n) return DEFAULT_PER_PAGE;
  return perPage > MAX_PER_PAGE ? MAX_PER_PAGE : perPage;
}

/** Size and number of a page. Throws RouteFailure when there is no such page. */
export function checkedPage(page: bigint | undefined, perPage: bigint | undefined, total: bigint) {
  const size = pageSize(perPage);
  const pages = total === 0n ? 1n : (total - 1n) / size + 1n;
  const number = page ?? 1n;
  if (number >= 1n && number <= pages) return { size, number };
  throw new RouteFailure(`page should be within [1, ${pages}] range, given ${number}`);
}

/** `validators`; the default height is the one after the tip. */
export function validatorsResult(
  engine: Engine,
  asked: bigint | undefined,
  page: bigint | undefined,
  perPage: bigint | undefined,
): string {
  const height = checkedHeight(engine, asked, engine.latestHeight() + 1n);
  const set = engine.reads.store.validators(height);
  if (set === undefined) throw new RouteFailure(`could not find validator set for height #${height}`);
  const { size, number } = checkedPage(page, perPage, BigInt(set.length));
  const total = BigInt(set.length);
  const from = Number((number - 1n) * size);
  const shown = set.slice(from, from + Number(size));
  return JSON.stringify({
    block_height: String(height),
    validators: validatorsToJson(shown),
    count: String(shown.length),
    total: String(total),
  });
}

/** `consensus_params`; the default height is the one after the tip. */
export function consensusParamsResult(engine: Engine, asked: bigint | undefined): string {
  const height = checkedHeight(engine, asked, engine.latestHeight() + 1n);
  const params = engine.reads.store.params(height);
  if (params === undefined) throw new RouteFailure(`could not find consensus params for height #${height}`);
  return JSON.stringify({ block_height: String(height), consensus_params: paramsToJson(params) });
}

/** `block_results`. */
export function blockResultsResult(engine: Engine, asked: bigint | undefined): string {
  const height = checkedHeight(engine, asked, engine.latestHeight());
  const packed = engine.reads.store.results(height);
  const rest = engine.reads.store.blockResult(height);
  if (packed === undefined || rest === undefined) {
    throw new RouteFailure(`could not find results for height #${height}`);
  }
  const results = unpackResults(packed);
  const list = results.length === 0 ? "null" : `[${results.join(",")}]`;
  return `{"height":"${height}","txs_results":${list},${rest.slice(1)}`;
}

/** `blockchain`: at most twenty block metas, newest first. */
export function blockchainResult(engine: Engine, min: bigint, max: bigint): string {
  const tip = engine.latestHeight();
  const base = engine.reads.genesis.initialHeight;
  if (min < 0n || max < 0n) throw new RouteFailure("heights must be non-negative");
  const to = max === 0n || max > tip ? tip : max;
  const low = min === 0n ? 1n : min;
  const from = [low, base, to - MAX_METAS + 1n].reduce((a, b) => (a > b ? a : b));
  if (from > to) throw new RouteFailure(`min height ${from} can't be greater than max height ${to}`);
  const metas: unknown[] = [];
  for (let height = to; height >= from; height--) {
    const { block, idJson, size } = requiredBlock(engine, height);
    metas.push({
      block_id: idJson,
      block_size: String(size),
      header: headerToJson(block.header),
      num_txs: String(block.txs.length),
    });
  }
  return JSON.stringify({ last_height: String(tip), block_metas: metas });
}

/** `tx`, by the SHA-256 of the transaction's bytes. */
export function txResult(engine: Engine, hash: Uint8Array, prove: boolean): string {
  if (hash.length === 0) throw new RouteFailure("transaction hash cannot be empty");
  const candidates = hash.length === 32 ? engine.reads.store.locateTx(hash) : [];
  for (const { height, index } of candidates) {
    const block = openedBlock(engine, height)?.block;
    const tx = block?.txs[index];
    const packed = engine.reads.store.results(height);
    if (block === undefined || tx === undefined || packed === undefined) continue;
    if (Buffer.compare(txHash(tx, platformSha256), hash) !== 0) continue;
    return txEntry(block, index, resultAt(packed, index) ?? "null", prove);
  }
  throw new RouteFailure(`tx (${bytesToUpperHex(hash)}) not found`);
}

/** One transaction as `tx` and `tx_search` show it. `result` is the JSON text of its result. */
export function txEntry(block: Block, index: number, result: string, prove: boolean): string {
  const tx = block.txs[index] ?? new Uint8Array(0);
  const hash = bytesToUpperHex(txHash(tx, platformSha256));
  const proof = prove ? `,"proof":${txProof(block, index, tx)}` : "";
  const head = `"hash":"${hash}","height":"${block.header.height}","index":${index}`;
  return `{${head},"tx_result":${result},"tx":"${toBase64(tx)}"${proof}}`;
}

function txProof(block: Block, index: number, tx: Uint8Array): string {
  const proof = merkleProof(block.txs.map(platformSha256), index, platformSha256);
  return JSON.stringify({
    root_hash: bytesToUpperHex(dataHash(block.txs, platformSha256)),
    data: toBase64(tx),
    proof: {
      total: String(proof.total),
      index: String(proof.index),
      leaf_hash: toBase64(proof.leafHash),
      aunts: proof.aunts.map(toBase64),
    },
  });
}

/** `genesis`. */
export function genesisResult(engine: Engine): string {
  const text = JSON.stringify({ genesis: engine.reads.genesis.document });
  if (text.length <= MAX_GENESIS_BYTES) return text;
  throw new RouteFailure("genesis response is large, please use the genesis_chunked API instead");
}

function edge(prefix: string, header: Header | undefined, hash: string): object {
  return {
    [`${prefix}_block_hash`]: hash,
    [`${prefix}_app_hash`]: header === undefined ? "" : bytesToUpperHex(header.appHash),
    [`${prefix}_block_height`]: String(header?.height ?? 0n),
    [`${prefix}_block_time`]: header === undefined ? NO_TIME : timestampToRfc3339(header.time),
  };
}

/** `status`. `rpcAddress` is where this RPC listens, as `tcp://host:port`. */
export function statusResult(engine: Engine, rpcAddress: string): string {
  const { reads } = engine;
  const state = reads.state();
  const latest = openedBlock(engine, engine.latestHeight());
  const earliest = latest === undefined ? undefined : openedBlock(engine, reads.genesis.initialHeight);
  return JSON.stringify({
    node_info: {
      protocol_version: { p2p: "8", block: String(BLOCK_VERSION), app: String(state.appVersion) },
      id: reads.nodeId,
      listen_addr: NO_PEER_ADDRESS,
      network: reads.genesis.chainId,
      version: COMETBFT_VERSION,
      channels: CHANNELS,
      moniker: reads.moniker,
      other: { tx_index: "on", rpc_address: rpcAddress },
    },
    sync_info: {
      ...edge("latest", latest?.block.header, latest?.idJson.hash ?? ""),
      ...edge("earliest", earliest?.block.header, earliest?.idJson.hash ?? ""),
      catching_up: false,
    },
    validator_info: {
      address: bytesToUpperHex(reads.validator.address),
      pub_key: publicKeyToJson(reads.validator.pubKey),
      voting_power: String(state.validators[0]?.power ?? 0n),
    },
  });
}
