/**
 * How many blocks one `eth_getLogs` asks for.
 *
 *   any  --too much (range, size or time)-->  half as many, at least 1
 *   any  --answered, all were asked-->        a quarter more, at most the entry's `max_range`
 *   any  --quota-->                           unchanged: the entry waits instead
 */
import { EndpointError } from "../endpoint-error.ts";

/** How many blocks one request asks for. */
export interface LogRange {
  readonly blocks: number;
}

/** After a range that was too much; undefined when a single block is. */
export function narrower({ blocks }: LogRange): LogRange | undefined {
  return blocks <= 1 ? undefined : { blocks: Math.floor(blocks / 2) };
}

/** After a range that was answered. */
export function wider({ blocks }: LogRange, most: number): LogRange {
  return { blocks: Math.min(most, Math.max(blocks + 1, Math.floor(blocks * 1.25))) };
}

/** Providers' words for: ask for fewer blocks. */
const TOO_MUCH = [
  /returned more than|more than [\d,]+ (results|logs|entries)/i,
  /(max|maximum|allowed|limit\w*)[\w ]{0,40}(results|logs|range|blocks?)\b/i,
  /(results|logs|range|blocks?)\b[\w ,[\]]{0,60}(max\b|maximum|limit|exceed|too (large|wide|big|many)|greater than|smaller than|distance|less than|over)/i,
  /(exceed|greater|larger|wider|longer)\w*[\w ]{0,30}(range|results|logs|blocks?|response)\b/i,
  /limited to (a )?[\d,.]+k? ?(block|range|-)/i,
  /too (many|large|wide|big)[\w ]{0,20}(blocks?|logs|results|range|response)/i,
  /(response|result|content|body|query|payload)\b[\w ]{0,20}(size|too (large|big)|length)/i,
  /up to (a )?[\d,]+k? ?block/i,
  /at most [\d,]+ blocks/i,
  /must be smaller than size/i,
  /ranges? (over|above|beyond)/i,
  /block range|range_too_large|-range limit/i,
  /query (timeout|timed out)|timed? ?out|deadline exceeded|took too long|(10|30) ?s(ec\w*)? limit/i,
  /no backend is currently healthy/i,
];

/** A node that does not have those blocks yet speaks of ranges too. */
const NOT_THERE =
  /beyond (the )?(current )?head|unknown block|header not found|block not found|after (the )?(latest|last) block|greater than (the )?latest/i;

/** Words of a rate or a budget: to be waited for, whatever else they say. */
const QUOTA = [
  /rate.?limit|too many requests|throttl/i,
  /(requests?|calls?|credits?|compute units?|cups?)\b[\w ]{0,30}(per|\/) ?(s\b|sec|min|hour|day|month)/i,
  /(daily|monthly|hourly)\b[\w ]{0,30}(limit|quota|count|request|credit|capacity)/i,
  /quota|compute units|throughput|capacity exceeded|credits|request count exceeded|usage limit/i,
  /\brps\b|request rate|request limit/i,
];

const HTTP_TOO_LARGE = 413;

/** Whether an endpoint says that a smaller range may be answered. */
export function isRangeRefusal(error: EndpointError): boolean {
  if (error.code === "too-large" || error.status === HTTP_TOO_LARGE) return true;
  if (error.code !== "rpc-error" && error.code !== "http-status") return false;
  if (NOT_THERE.test(error.said) || QUOTA.some((words) => words.test(error.said))) return false;
  return TOO_MUCH.some((words) => words.test(error.said));
}

/** Whether a node says that it does not have the blocks asked for. */
export function isNotThere(error: EndpointError): boolean {
  return error.code === "rpc-error" && NOT_THERE.test(error.said);
}

/** Whether a smaller range may be answered: also after silence, which may be the range's fault. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof EndpointError && (error.timedOut || isRangeRefusal(error));
}
