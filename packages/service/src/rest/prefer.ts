/** The `Prefer: wait=N` request header (RFC 7240). */
import type { RestContext, RestRequest } from "./context.ts";

const MAX_WAIT_SECONDS = 30;

/** Seconds to wait, at most 30; 0 when not asked for. */
export function preferredWait(prefer: string | string[] | undefined): number {
  const text = Array.isArray(prefer) ? prefer.join(",") : (prefer ?? "");
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])/i.exec(text)?.[1];
  return seconds === undefined ? 0 : Math.min(MAX_WAIT_SECONDS, Number(seconds));
}

/** A long poll's place. */
export interface WaitPlace {
  /** 0: the answer comes at once. */
  readonly seconds: number;
  leave(): void;
}

/**
 * A place to wait as long as the request prefers; none where it does not, or where the places are taken: a preference is
 * no condition, and the answer then lacks `Preference-Applied` (RFC 7240, section 3).
 */
export function placeToWait(
  { waitPlaces }: Pick<RestContext, "waitPlaces">,
  { http, caller }: Pick<RestRequest, "http" | "caller">,
): WaitPlace {
  const seconds = preferredWait(http.headers.prefer);
  const place = seconds === 0 ? undefined : waitPlaces.take(caller.keyId);
  return place?.ok === true ? { seconds, leave: place.leave } : { seconds: 0, leave: () => {} };
}
