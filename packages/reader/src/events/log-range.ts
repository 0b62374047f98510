/**
 * How many blocks one `eth_getLogs` asks for.
 *
 *   any  --too much (range, size or time)-->  half as many, at least 1
 *   any  --answered, all were asked-->        a quarter more, at most the entry's `max_range`
 *   any  --quota-->                           unchanged: the entry waits instead
 */
import { EndpointError } from "../endpoint-error.ts";

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

/** Providers' words for: ask for fewer blocks. Checked before quotas: some say both with one code. */
const TOO_MUCH = [
  /query returned more than/i,
  /more than \d+ (results|logs)/i,
  /max(imum)? (results|range|block range)/i,
  /(block )?range (is )?(too (large|wide|big)|limit|exceed)/i,
  /limited to (a )?[\d,]+/i,
  /exceeds? (the )?(max|limit|range|allowed)/i,
  /too many (blocks|logs|results)/i,
  /response (size|is too)/i,
  /up to (a )?[\d,]+k? block/i,
  /query timeout|timed? ?out|deadline exceeded/i,
  /range_too_large|logs? response/i,
];
const HTTP_TOO_LARGE = 413;

/** Whether a smaller range may be answered. */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof EndpointError)) return false;
  if (error.code === "too-large" || error.timedOut || error.status === HTTP_TOO_LARGE) return true;
  return error.code === "rpc-error" && TOO_MUCH.some((words) => words.test(error.said));
}
