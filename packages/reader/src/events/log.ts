/** Logs as `eth_getLogs` gives them: checked against what was asked, in the chain's order. */
import { type Hex, isHex } from "@cairn/primitives";
import { EndpointError, undecodable } from "../endpoint-error.ts";
import { readHash, readHeight } from "../foreign-block.ts";

/** A log of an EVM chain, checked. */
export interface EvmLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly height: bigint;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** Logs of a contract and an event; heights are both included. */
export interface LogQuery {
  readonly address: Hex;
  readonly topic0: Hex;
  readonly from: bigint;
  readonly to: bigint;
}

/** More of one answer are too much: fewer blocks are asked for. */
export const MAX_LOGS = 50_000;

/** Reads an answer; logs the chain took back are left out. Throws `undecodable`. */
export function readLogs(value: unknown, query: LogQuery): readonly EvmLog[] {
  if (!Array.isArray(value)) throw undecodable("eth_getLogs answered no list");
  if (value.length > MAX_LOGS) throw new EndpointError("too-large", `eth_getLogs answered ${value.length} logs`);
  const kept = value.filter((log) => (log as { readonly removed?: unknown } | null)?.removed !== true);
  const logs = kept.map((log) => readLog(log, query)).sort(inOrder);
  const repeated = logs.some((log, i) => i > 0 && inOrder(logs[i - 1] ?? log, log) === 0);
  if (repeated) throw undecodable("eth_getLogs answered one place twice");
  return logs;
}

function inOrder(a: EvmLog, b: EvmLog): number {
  return a.height === b.height ? a.logIndex - b.logIndex : a.height < b.height ? -1 : 1;
}

function readLog(value: unknown, query: LogQuery): EvmLog {
  if (typeof value !== "object" || value === null) throw undecodable("a log is no object");
  const fields = value as Readonly<Record<string, unknown>>;
  const log = {
    address: hex(fields.address, "address", 20, 20),
    topics: topicsOf(fields.topics),
    // Bounded by the answer's own size: what is too long for the event is refused by its decoder, log by log.
    data: hex(fields.data, "data", 0, Number.POSITIVE_INFINITY),
    height: readHeight(fields.blockNumber, "a log's block number"),
    blockHash: readHash(fields.blockHash, "hex", "a log's block hash"),
    transactionHash: readHash(fields.transactionHash, "hex", "a log's transaction hash"),
    logIndex: Number(readHeight(fields.logIndex, "a log's index")),
  };
  const asked = log.address === query.address && log.topics[0] === query.topic0;
  if (!asked || log.height < query.from || log.height > query.to) throw undecodable("a log was not asked for");
  return log;
}

function topicsOf(value: unknown): readonly Hex[] {
  if (!Array.isArray(value) || value.length > 4) throw undecodable("a log has no topics");
  return value.map((topic) => hex(topic, "topic", 32, 32));
}

function hex(value: unknown, name: string, min: number, max: number): Hex {
  if (typeof value !== "string" || !isHex(value)) throw undecodable(`a log's ${name} is no hex`);
  const bytes = value.length / 2 - 1;
  if (bytes < min || bytes > max) throw undecodable(`a log's ${name} has ${bytes} bytes`);
  return value.toLowerCase() as Hex;
}
