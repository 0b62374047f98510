/** Routes of accounts: asking for access, claiming the key once the operator has approved, and what was used. */
import { accessAckSchema, accessRequestSchema, accessResourceSchema } from "../access-body.ts";
import { route } from "../route.ts";
import { usageSchema } from "../usage-resource.ts";
import { publicBodyErrors, scopeErrors } from "./parameters.ts";

/** The routes. Keys name the operations. */
export const accessRoutes = {
  requestAccess: route({
    method: "POST",
    path: "/v1/access-requests",
    access: "public",
    summary: "Ask for an account. The answer's `claim_secret` is what the key is claimed with; it is not shown again.",
    body: accessRequestSchema,
    bodyBytes: 16 * 1024,
    responses: { 201: { summary: "Noted; `Location` is its status.", schema: accessAckSchema } },
    errors: publicBodyErrors,
  }),
  getAccessRequest: route({
    method: "GET",
    path: "/v1/access-requests/{id}",
    access: "public",
    summary:
      "State of an access request, to the bearer of its claim secret (`Authorization: Bearer cairn_claim_…`). The first " +
      "answer after the approval has the API key; no later one does.",
    parameters: [{ in: "path", name: "id", summary: "Id of the request.", required: true }],
    responses: { 200: { summary: "The request.", schema: accessResourceSchema } },
    errors: ["unauthorized", "not-found", "rate-limited", "unavailable"],
  }),
  getUsage: route({
    method: "GET",
    path: "/v1/account/usage",
    access: "token",
    scope: "account:read",
    summary: "What the account used, by UTC day and chain, newest first: submissions, verified, rejected, settled.",
    parameters: [
      { in: "query", name: "from", summary: "First day (`2026-11-01`); 30 days before `to` when absent." },
      { in: "query", name: "to", summary: "Last day; today when absent. At most 366 days." },
    ],
    responses: { 200: { summary: "The statement.", schema: usageSchema } },
    errors: [...scopeErrors, "invalid-query", "unavailable"],
  }),
} as const;
