/** The `Prefer: wait=N` request header (RFC 7240). */

const MAX_WAIT_SECONDS = 30;

/** Seconds to wait, at most 30; 0 when not asked for. */
export function preferredWait(prefer: string | string[] | undefined): number {
  const text = Array.isArray(prefer) ? prefer.join(",") : (prefer ?? "");
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])/i.exec(text)?.[1];
  return seconds === undefined ? 0 : Math.min(MAX_WAIT_SECONDS, Number(seconds));
}
