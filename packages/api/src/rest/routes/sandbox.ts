/** Debugging tools of the sandbox; none of them exists in production. */
import { z } from "zod";
import { route } from "../route.ts";
import {
  forcedAnchorSchema,
  forcedBatchSchema,
  minedSchema,
  mineSchema,
  reorgSchema,
  replayedSchema,
  requestLogEntrySchema,
  requestLogSchema,
  serviceFaultStateSchema,
  serviceFaultsSchema,
} from "../sandbox.ts";
import { bodyErrors, id, paymentErrors, scopeErrors } from "./parameters.ts";

const common = { access: "token", scope: "sandbox:debug", environment: "sandbox" } as const;

/** The routes. Keys name the operations. */
export const sandboxRoutes = {
  listRequests: route({
    ...common,
    method: "GET",
    path: "/v1/sandbox/requests",
    summary: "Sandbox only: the account's newest requests, newest first, without bodies and credentials.",
    parameters: [{ in: "query", name: "limit", summary: "1 to 100; 20 when absent.", schema: z.int().min(1).max(100) }],
    responses: { 200: { summary: "The requests.", schema: requestLogSchema } },
    errors: [...scopeErrors, "invalid-query"],
  }),
  getRequest: route({
    ...common,
    method: "GET",
    path: "/v1/sandbox/requests/{request_id}",
    summary: "Sandbox only: the newest request with this `X-Request-Id`.",
    parameters: [{ in: "path", name: "request_id", summary: "`X-Request-Id` of its answer.", required: true }],
    responses: { 200: { summary: "The request.", schema: requestLogEntrySchema } },
    errors: [...scopeErrors, "not-found"],
  }),
  serviceFaults: route({
    ...common,
    method: "POST",
    path: "/v1/sandbox/service-faults",
    summary: "Sandbox only: switches faults of verifier, chain, Bitcoin and webhooks; an empty object shows them.",
    body: serviceFaultsSchema,
    responses: { 200: { summary: "The switches now.", schema: serviceFaultStateSchema } },
    errors: bodyErrors,
  }),
  replaySubmission: route({
    ...common,
    method: "POST",
    path: "/v1/sandbox/proofs/{id}/replay",
    summary: "Sandbox only: verifies a stored submission again and hands its content in anew.",
    parameters: [id],
    responses: { 202: { summary: "Verdict and the new submission.", schema: replayedSchema } },
    errors: [...scopeErrors, ...paymentErrors, "not-found", "unknown-chain", "queue-full"],
  }),
  forceBatch: route({
    ...common,
    method: "POST",
    path: "/v1/sandbox/batches",
    summary: "Sandbox only: closes a batch of what is verified, now.",
    responses: { 200: { summary: "The batch.", schema: forcedBatchSchema } },
    errors: [...scopeErrors],
  }),
  forceAnchor: route({
    ...common,
    method: "POST",
    path: "/v1/sandbox/anchors",
    summary: "Sandbox only: anchors what is settled, now.",
    responses: { 200: { summary: "The anchor.", schema: forcedAnchorSchema } },
    errors: [...scopeErrors],
  }),
  mineBitcoin: route({
    ...common,
    method: "POST",
    path: "/v1/sandbox/bitcoin/blocks",
    summary: "Sandbox only: mines blocks on the embedded Bitcoin regtest; one when nothing is said.",
    body: mineSchema,
    responses: { 200: { summary: "The new blocks.", schema: minedSchema } },
    errors: [...bodyErrors, "not-found"],
  }),
  reorgBitcoin: route({
    ...common,
    method: "POST",
    path: "/v1/sandbox/bitcoin/reorg",
    summary:
      "Sandbox only: lets the newest blocks of the embedded regtest leave the best chain; one when nothing is said.",
    body: reorgSchema,
    responses: { 200: { summary: "The blocks in their place.", schema: minedSchema } },
    errors: [...bodyErrors, "not-found", "unavailable"],
  }),
} as const;
