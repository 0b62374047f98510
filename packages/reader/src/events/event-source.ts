/** The events of one contract, from `eth_getLogs` over the entry's endpoints, each tied to its block's header. */
import { AbiMismatch } from "../abi/abi-decode.ts";
import type { BlockSource } from "../block-source.ts";
import type { ContractEntry } from "../config/entry.ts";
import type { Endpoint } from "../endpoint.ts";
import { EndpointError } from "../endpoint-error.ts";
import type { EndpointPool } from "../endpoint-pool.ts";
import { boundedEvidence, type ForeignBlock, missing } from "../foreign-block.ts";
import { commitmentItem, type Found, proofItem } from "../items.ts";
import { fetchProof } from "../proof-fetch.ts";
import type { ProofReference } from "../proof-reference.ts";
import { type DecodedEvent, decodeEvent, matches } from "./event-decode.ts";
import { type EvmLog, type LogQuery, readLogs } from "./log.ts";
import { isNotThere, isRangeRefusal, isTooMuch, type LogRange, narrower, wider } from "./log-range.ts";

/** The events of a contract in windows of blocks. */
export interface EventSource {
  /**
   * Everything from `from` to `to`, in order; `narrower` when that was too much and `range` is smaller now. Throws
   * EndpointError.
   */
  read(from: bigint, to: bigint, signal: AbortSignal): Promise<readonly Found[] | "narrower">;
  /** Most blocks of the next request. */
  range(): number;
}

/** A source for a contract entry; `blocks` gives the headers. */
export function createEventSource(entry: ContractEntry, pool: EndpointPool, blocks: BlockSource): EventSource {
  const { address, event } = entry;
  let range: LogRange = { blocks: entry.maxRange };

  async function logs(from: bigint, to: bigint, signal: AbortSignal): Promise<readonly EvmLog[]> {
    const filter = {
      address,
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${to.toString(16)}`,
      topics: [event.topic0],
    };
    const query = { address, topic0: event.topic0, from, to };
    return pool.agreed(
      (endpoint) => askLogs(endpoint, filter, query, signal),
      // A range that one refuses is not taken from the other unseen: both are asked for less.
      { digest: digestOf, telling: (error) => to > from && isRangeRefusal(error) },
      signal,
    );
  }

  /** Undefined when the range was too much. */
  async function adaptive(from: bigint, to: bigint, signal: AbortSignal): Promise<readonly EvmLog[] | undefined> {
    const asked = Number(to - from) + 1;
    try {
      const answer = await logs(from, to, signal);
      if (asked >= range.blocks) range = wider(range, entry.maxRange);
      return answer;
    } catch (error) {
      const next = isTooMuch(error) ? narrower({ blocks: asked }) : undefined;
      if (next === undefined) throw error;
      range = next;
      return undefined;
    }
  }

  async function foundOf(log: EvmLog, block: ForeignBlock, signal: AbortSignal): Promise<readonly Found[]> {
    const { height, logIndex, blockHash: hash } = log;
    const decoded = readEvent(log);
    if (decoded instanceof AbiMismatch) {
      return [{ kind: "undecodable", height, logIndex, hash, detail: decoded.message }];
    }
    if (!matches(event.where, decoded.arguments)) return [];
    const place = { height, logIndex, hash, evidence: evidenceOf(log, block) };
    const root = commitmentItem(place, decoded.root);
    return entry.proof === undefined ? [root] : [root, await proofOf(entry.proof, log, decoded, place, signal)];
  }

  /** The proof beside a root; one that is no proof takes nothing from the root. */
  async function proofOf(
    reference: ProofReference,
    log: EvmLog,
    decoded: DecodedEvent,
    place: Parameters<typeof proofItem>[0],
    signal: AbortSignal,
  ): Promise<Found> {
    const { height, logIndex, blockHash: hash, transactionHash } = log;
    const context = { height, hash, arguments: decoded.arguments, transactionHash };
    try {
      return proofItem(place, await fetchProof(reference, context, pool, signal));
    } catch (error) {
      if (!(error instanceof AbiMismatch)) throw error;
      return { kind: "undecodable", height, logIndex, hash, detail: error.message };
    }
  }

  function readEvent(log: EvmLog): DecodedEvent | AbiMismatch {
    try {
      return decodeEvent(event, log.topics, log.data);
    } catch (error) {
      if (error instanceof AbiMismatch) return error;
      throw error;
    }
  }

  /** The log's own block, by its number: another hash means that logs and headers are of different forks. */
  async function blockOf(log: EvmLog, signal: AbortSignal): Promise<ForeignBlock> {
    const block = await blocks.block(log.height, signal);
    if (block?.hash === log.blockHash) return block;
    throw new EndpointError("disagreement", `the logs of block ${log.height} are of another fork`);
  }

  return {
    range: () => range.blocks,
    async read(from, to, signal) {
      const answer = await adaptive(from, to, signal);
      if (answer === undefined) return "narrower";
      const found: Found[] = [];
      let block: ForeignBlock | undefined;
      for (const log of answer) {
        if (block?.height !== log.height) block = await blockOf(log, signal);
        found.push(...(await foundOf(log, block, signal)));
      }
      return found;
    },
  };
}

async function askLogs(endpoint: Endpoint, filter: object, query: LogQuery, signal: AbortSignal) {
  try {
    return readLogs(await endpoint.rpc("eth_getLogs", [filter], signal), query);
  } catch (error) {
    if (!(error instanceof EndpointError) || !isNotThere(error)) throw error;
    throw missing(`${endpoint.host} has no block ${query.to} yet`);
  }
}

function digestOf(logs: readonly EvmLog[]): string {
  return JSON.stringify(logs.map((log) => [log.blockHash, log.logIndex, log.topics, log.data]));
}

function evidenceOf(log: EvmLog, block: ForeignBlock) {
  const { address, topics, data, transactionHash, logIndex } = log;
  const own = block.evidence as Readonly<Record<string, string>>;
  return boundedEvidence({ ...own, log: { address, topics, data, transactionHash, logIndex } });
}
