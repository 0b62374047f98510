/** What a link of a receipt is, and what it answers. */
import type { Receipt } from "../types.ts";
import type { LinkName, Trust } from "../verification.ts";

/** What a link found. `ok: null`: consistent, but its trust was not given; `missing` says which. */
export type LinkOutcome =
  | { readonly ok: true; readonly checked: string; readonly restsOn: string }
  | { readonly ok: null; readonly checked: string; readonly restsOn: string; readonly missing: string }
  | { readonly ok: false; readonly checked: string };

/** One check of a receipt that has the form of its schema. May throw on unreadable bytes: that is false. */
export interface Link {
  readonly name: LinkName;
  check(receipt: Receipt, trust: Trust): LinkOutcome;
}

/** A link that failed. */
export function broken(checked: string): LinkOutcome {
  return { ok: false, checked };
}

/** A link that holds. */
export function holds(checked: string, restsOn: string): LinkOutcome {
  return { ok: true, checked, restsOn };
}

/** A link that is consistent and lacks trust from outside. */
export function unproven(checked: string, restsOn: string, missing: string): LinkOutcome {
  return { ok: null, checked, restsOn, missing };
}
