/** Parameters and error lists that several routes share. */
import type { RouteParameter } from "../route.ts";

/** The submission a path names. */
export const id: RouteParameter = { in: "path", name: "id", summary: "Id of the submission, 0x-hex.", required: true };
/** Waiting for a change. */
export const prefer: RouteParameter = {
  in: "header",
  name: "Prefer",
  summary: "`wait=N`: answer only after the state changed, or after N seconds (at most 30; RFC 7240).",
};
/** Paging. */
export const page: readonly RouteParameter[] = [
  { in: "query", name: "cursor", summary: "`next_cursor` of the page before." },
  { in: "query", name: "limit", summary: "Items per page, 1 to 100; 20 when absent." },
];
/** Errors of every route that asks for a token with a scope. */
export const scopeErrors = ["unauthorized", "forbidden", "account-suspended"] as const;
/** Errors of every route that takes a JSON body. */
export const publicBodyErrors = [
  "malformed-json",
  "body-too-large",
  "unsupported-media-type",
  "invalid-body",
  "rate-limited",
  "queue-full",
  "unavailable",
] as const;
/** Errors of routes that take a JSON body from the bearer of a token. */
export const bodyErrors = [...scopeErrors, ...publicBodyErrors] as const;
/** Errors of every route that takes what is paid for. */
export const paymentErrors = ["wallet-required", "insufficient-balance", "payment-overdue", "quote-expired"] as const;
