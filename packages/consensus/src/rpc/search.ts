/**
 * `tx_search`: transactions by a query, over ordered keys, in bounded memory and time. A condition the application has
 * a key for is answered from the index; other queries read the results of the heights asked for. As CometBFT's indexer:
 * several conditions must be met within one event, equality compares text, only attributes marked for it count.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AbciEvent } from "@cairn/abci";
import { type Block, bytesToUpperHex, decodeBlock } from "@cairn/comet";
import type { EmbeddedEngine } from "../engine.ts";
import { type Condition, parseQuery, type Query, QueryError } from "../events/query.ts";
import { compareDecimals, indexedMatches } from "../events/query-match.ts";
import { unpackResults } from "../results.ts";
import type { TxCandidate } from "../tx-index.ts";
import { ArgumentError, fromHex } from "./arguments.ts";
import { checkedPage, pageSize, RouteFailure, txEntry, txResult } from "./results.ts";
import { MAX_QUERY_BYTES } from "./subscribe.ts";

type Engine = Pick<EmbeddedEngine, "reads" | "latestHeight">;

/** Arguments of the route. */
export interface TxSearch {
  readonly query: string;
  readonly prove: boolean;
  readonly page: bigint | undefined;
  readonly perPage: bigint | undefined;
  readonly orderBy: string;
}

/** Longest time a search may take, in milliseconds. */
const BUDGET_MS = 5_000;
/** Rows read at once. */
const CHUNK = 512;
/** Transactions looked at in one turn. */
const TURN = 256;

interface Plan {
  readonly from: bigint;
  readonly to: bigint;
  readonly key: string | undefined;
  /** Conditions on events, to be met by one of them. */
  readonly rest: readonly Condition[];
  /** Conditions on the hash that are no equality. */
  readonly onHash: readonly Condition[];
  readonly isDescending: boolean;
}

interface Heights {
  from: bigint;
  to: bigint;
}

function parsed(text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) throw new RouteFailure(error.message);
    throw error;
  }
}

/** Narrows a range of heights by a comparison; fractions count. */
function narrow(heights: Heights, { operator, argument }: Condition): void {
  const text = argument?.text ?? "0";
  const whole = BigInt(text.split(".")[0] ?? "0");
  const isWhole = compareDecimals(text, String(whole)) === 0;
  const above = operator === ">=" && isWhole ? whole : whole + 1n;
  const below = operator === "<" && isWhole ? whole - 1n : whole;
  if (operator === ">" || operator === ">=") heights.from = above > heights.from ? above : heights.from;
  else heights.to = below < heights.to ? below : heights.to;
}

const DECIMAL = /^\d+$/;

/** Heights a query is about: its ranges, or else the first equality. */
function heightsOf(conditions: readonly Condition[], tip: bigint): Heights {
  const heights = { from: 1n, to: tip };
  const ranges = conditions.filter(({ operator, argument }) => /[<>]/.test(operator) && argument?.kind === "number");
  for (const condition of ranges) narrow(heights, condition);
  const equal = conditions.find(({ operator }) => operator === "=")?.argument?.text;
  if (ranges.length > 0 || equal === undefined) return heights;
  const height = DECIMAL.test(equal) ? BigInt(equal) : 0n;
  return height < 1n || height > tip ? { from: 1n, to: 0n } : { from: height, to: height };
}

function planOf(engine: Engine, { conditions }: Query, isDescending: boolean): Plan {
  const onHeight = conditions.filter(({ tag }) => tag === "tx.height");
  const onHash = conditions.filter(({ tag }) => tag === "tx.hash");
  const rest = conditions.filter((condition) => !onHeight.includes(condition) && !onHash.includes(condition));
  const keys = rest
    .filter(({ operator }) => operator === "=")
    .map(({ tag, argument }) => engine.reads.txKeys?.keyOf(tag, argument?.text ?? ""));
  const key = keys.find((found) => found !== undefined);
  return { ...heightsOf(onHeight, engine.latestHeight()), key, rest, onHash, isDescending };
}

/** Results of the height that was asked for last. */
function createResultReader(engine: Engine) {
  let height = 0n;
  let texts: readonly string[] = [];
  return (wanted: bigint): readonly string[] => {
    if (wanted === height) return texts;
    const packed = engine.reads.store.results(wanted);
    texts = packed === undefined ? [] : unpackResults(packed);
    height = wanted;
    return texts;
  };
}

type ReadResults = ReturnType<typeof createResultReader>;

function* indexedCandidates(engine: Engine, plan: Plan, key: string): Generator<TxCandidate> {
  let after: TxCandidate | undefined;
  for (;;) {
    const range = { from: plan.from, to: plan.to, isDescending: plan.isDescending, limit: CHUNK };
    const rows = engine.reads.store.locateKey(key, after === undefined ? range : { ...range, after });
    yield* rows;
    after = rows.at(-1);
    if (after === undefined || rows.length < CHUNK) return;
  }
}

function* scannedCandidates(engine: Engine, plan: Plan, read: ReadResults): Generator<TxCandidate> {
  let { from, to } = plan;
  const { isDescending } = plan;
  for (;;) {
    const heights = engine.reads.store.busyHeights({ from, to, isDescending, limit: CHUNK });
    for (const height of heights) {
      const count = read(height).length;
      for (let i = 0; i < count; i++) yield { height, index: isDescending ? count - 1 - i : i };
    }
    const last = heights.at(-1);
    if (last === undefined || heights.length < CHUNK) return;
    if (isDescending) to = last - 1n;
    else from = last + 1n;
  }
}

function candidatesOf(engine: Engine, plan: Plan, read: ReadResults): Iterable<TxCandidate> {
  if (plan.from > plan.to) return [];
  return plan.key === undefined ? scannedCandidates(engine, plan, read) : indexedCandidates(engine, plan, plan.key);
}

function eventMeets(event: AbciEvent, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) =>
    event.attributes.some(
      ({ key, value, index }) => index && `${event.type}.${key}` === condition.tag && indexedMatches(condition, value),
    ),
  );
}

function blockAt(engine: Engine, height: bigint): Block {
  const stored = engine.reads.store.block(height);
  if (stored === undefined) throw new RouteFailure(`block at height ${height} not found`);
  return decodeBlock(stored.bytes);
}

function meets(engine: Engine, plan: Plan, { height, index }: TxCandidate, result: string): boolean {
  if (plan.onHash.length > 0) {
    const hash = JSON.parse(txEntry(blockAt(engine, height), index, "null", false)).hash;
    if (!plan.onHash.every((condition) => indexedMatches(condition, hash))) return false;
  }
  if (plan.rest.length === 0) return true;
  const { events }: { readonly events: readonly AbciEvent[] } = JSON.parse(result);
  return events.some((event) => eventMeets(event, plan.rest));
}

/** Counts all matches and keeps those of one page. */
async function collect(engine: Engine, plan: Plan, skip: bigint, size: bigint) {
  const read = createResultReader(engine);
  const deadline = performance.now() + BUDGET_MS;
  const candidates = candidatesOf(engine, plan, read);
  const kept: { readonly at: TxCandidate; readonly result: string }[] = [];
  let total = 0n;
  let looked = 0;
  for (const at of candidates) {
    if (++looked % TURN === 0) {
      if (performance.now() > deadline) {
        throw new RouteFailure("the search takes too long: narrow it by tx.height");
      }
      await nextTurn();
    }
    const result = read(at.height)[at.index];
    if (result === undefined || !meets(engine, plan, at, result)) continue;
    if (total >= skip && total < skip + size) kept.push({ at, result });
    total++;
  }
  return { total, kept };
}

function byHash(engine: Engine, hex: string, prove: boolean): string[] {
  let hash: Uint8Array;
  try {
    hash = fromHex(hex);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new RouteFailure(`error during searching for a hash in the query: ${error.message}`);
  }
  try {
    return [txResult(engine, hash, prove)];
  } catch (error) {
    if (error instanceof RouteFailure && error.message === `tx (${bytesToUpperHex(hash)}) not found`) return [];
    throw error;
  }
}

/** `tx_search`. Throws RouteFailure with CometBFT's texts. */
export async function txSearchResult(engine: Engine, o: TxSearch): Promise<string> {
  if (Buffer.byteLength(o.query) > MAX_QUERY_BYTES) throw new RouteFailure("maximum query length exceeded");
  const query = parsed(o.query);
  const isKnownOrder = o.orderBy === "" || o.orderBy === "asc" || o.orderBy === "desc";
  const hash = query.conditions.find(({ tag, operator }) => tag === "tx.hash" && operator === "=")?.argument?.text;
  const found = hash === undefined ? undefined : byHash(engine, hash, o.prove);
  if (!isKnownOrder) throw new RouteFailure("expected order_by to be either `asc` or `desc` or empty");
  if (found !== undefined) {
    checkedPage(o.page, o.perPage, BigInt(found.length));
    return `{"txs":[${found.join(",")}],"total_count":"${found.length}"}`;
  }
  const size = pageSize(o.perPage);
  const skip = ((o.page ?? 1n) - 1n) * size;
  const { total, kept } = await collect(engine, planOf(engine, query, o.orderBy === "desc"), skip, size);
  checkedPage(o.page, o.perPage, total);
  const blocks = new Map<bigint, Block>();
  const texts = kept.map(({ at, result }) => {
    const block = blocks.get(at.height) ?? blockAt(engine, at.height);
    blocks.set(at.height, block);
    return txEntry(block, at.index, result, o.prove);
  });
  return `{"txs":[${texts.join(",")}],"total_count":"${total}"}`;
}
