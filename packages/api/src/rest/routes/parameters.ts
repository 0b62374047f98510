/** Parameters and error lists that several routes share. */
import { z } from "zod";
import type { RouteParameter } from "../route.ts";

/** 32 bytes in 0x-hex, as parameters take them. */
export const hashText = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
/** Name or number of a chain. */
export const chainText = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/);

/** The submission a path names. */
export const id: RouteParameter = {
  in: "path",
  name: "id",
  summary: "Id of the submission, 0x-hex.",
  required: true,
  schema: hashText,
};
/** Waiting for a change. */
export const prefer: RouteParameter = {
  in: "header",
  name: "Prefer",
  summary:
    "`wait=N`: answer only after the state changed, or after N seconds (at most 30; RFC 7240). `Preference-Applied` says " +
    "that it was waited; a key has 128 places to wait.",
  schema: z.string().regex(/^wait=[0-9]{1,2}$/),
};
/** Paging. */
export const page: readonly RouteParameter[] = [
  { in: "query", name: "cursor", summary: "`next_cursor` of the page before." },
  {
    in: "query",
    name: "limit",
    summary: "Items per page, 1 to 100; 20 when absent.",
    schema: z.int().min(1).max(100),
  },
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
