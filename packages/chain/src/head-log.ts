/**
 * Owns matching of event logs against a filter's criteria (Ethereum JSON-RPC `eth_newFilter`, `eth_subscribe("logs")`);
 * not reading historical logs, which the native index does.
 */
import type { Address, Hash } from "@cairn/primitives";

/** One log of a committed block: what matching needs, and its finished JSON text. */
export interface HeadLog {
  readonly address: Address;
  readonly topics: readonly Hash[];
  /** The log object as clients get it. */
  readonly json: string;
}

/**
 * Which logs are wanted. `addresses` empty: any. `topics`: per position the alternatives, empty: any; its length is
 * the least number of topics a log must have (trailing wildcards count). Addresses and topics in lower case.
 */
export interface LogCriteria {
  /** Absent: from now on (filters) or the head (queries). */
  readonly fromBlock?: bigint;
  /** Absent: no end. */
  readonly toBlock?: bigint;
  readonly addresses: readonly Address[];
  readonly topics: readonly (readonly Hash[])[];
}

/** Whether a log is wanted. */
export type LogMatcher = (log: HeadLog) => boolean;

/**
 * Matches addresses and topics; block bounds are the caller's. Made once per filter, since each log of each block is
 * shown to all of them: a look-up then costs the same however many alternatives a client names.
 */
export function logMatcher({ addresses, topics }: Pick<LogCriteria, "addresses" | "topics">): LogMatcher {
  const emitters = new Set<string>(addresses);
  const positions = topics.map((alternatives) => new Set<string>(alternatives));
  return (log) => {
    if (emitters.size > 0 && !emitters.has(log.address)) return false;
    if (positions.length > log.topics.length) return false;
    return positions.every((alternatives, position) => {
      const topic = log.topics[position];
      return alternatives.size === 0 || (topic !== undefined && alternatives.has(topic));
    });
  };
}

interface LogObject {
  readonly address: string;
  readonly topics: readonly string[];
}

const END_OF_LOG = '"removed":false}';

function headLog(json: string): HeadLog {
  // Data may be megabytes and says nothing to a matcher: what stands before it is parsed alone.
  const { address, topics }: LogObject = JSON.parse(`${json.slice(0, json.indexOf(',"data":'))}}`);
  return { address: address.toLowerCase() as Address, topics: topics as readonly Hash[], json };
}

/**
 * The logs in the JSON text of an array of log objects as the native core writes it: `address` and `topics` first,
 * `removed` last. One at a time, so that a block of very many logs can be looked at bit by bit.
 */
export function* headLogs(logsJson: string): Generator<HeadLog, void, void> {
  for (let at = 1; at < logsJson.length - 1; ) {
    const end = logsJson.indexOf(END_OF_LOG, at) + END_OF_LOG.length;
    yield headLog(logsJson.slice(at, end));
    at = end + 1;
  }
}
