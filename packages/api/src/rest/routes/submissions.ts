/** Routes of the submissions: handing in, reading, receipts, stateless verification. */
import { z } from "zod";
import {
  submissionAckSchema,
  submissionListSchema,
  submissionSchema,
  submissionStates,
  verdictSchema,
} from "../resource.ts";
import { type RouteParameter, route } from "../route.ts";
import { submissionBatchSchema, submitProofsSchema } from "../submission-batch.ts";
import { bodyLimits, submitProofSchema, verifySchema } from "../submission-body.ts";
import { OTS_CONTENT_TYPE, RECEIPT_CONTENT_TYPE } from "./content-types.ts";
import { bodyErrors, chainText, hashText, id, page, paymentErrors, prefer, scopeErrors } from "./parameters.ts";

const filters: readonly RouteParameter[] = [
  { in: "query", name: "state", summary: "Only submissions in this state.", schema: z.enum(submissionStates) },
  { in: "query", name: "chain_id", summary: "Only of this chain.", schema: chainText },
  { in: "query", name: "since", summary: "Only received at or after this time (RFC 3339).", schema: z.iso.datetime() },
  { in: "query", name: "proof_hash", summary: "Only with this hash of the canonical proof.", schema: hashText },
  { in: "query", name: "statement", summary: "Only proofs of this statement.", schema: hashText },
  { in: "query", name: "external_id", summary: "Only with this `external_id`.", schema: z.string().max(128) },
];

/** The routes. Keys name the operations. */
export const submissionRoutes = {
  submitProof: route({
    method: "POST",
    path: "/v1/submit-proof",
    access: "token",
    scope: "proofs:write",
    summary: "Submit a proof; the answer comes once the submission is stored durably.",
    parameters: [prefer],
    body: submitProofSchema,
    responses: {
      202: { summary: "Stored; `Location` is its status.", schema: submissionAckSchema },
      200: { summary: "Known already: same id, `duplicate` is true.", schema: submissionAckSchema },
    },
    errors: [...bodyErrors, ...paymentErrors, "agreement-required", "quota-exceeded", "unknown-chain"],
  }),
  submitProofs: route({
    method: "POST",
    path: "/v1/submit-proofs",
    access: "token",
    scope: "proofs:write",
    summary:
      "Submit up to 1,000 proofs in one durable transaction; a result for each, in order. The rate counts items: " +
      "those beyond it are answered 429 each, those before are stored.",
    parameters: [prefer],
    body: submitProofsSchema,
    bodyBytes: bodyLimits.batchBodyBytes,
    responses: { 200: { summary: "What became of each item.", schema: submissionBatchSchema } },
    errors: [...bodyErrors, ...paymentErrors, "agreement-required", "quota-exceeded", "unknown-chain"],
  }),
  listProofs: route({
    method: "GET",
    path: "/v1/proofs",
    access: "token",
    scope: "proofs:read",
    etag: true,
    summary: "Own submissions, newest first.",
    parameters: [...filters, ...page],
    responses: { 200: { summary: "A page; `Link` names the next.", schema: submissionListSchema } },
    errors: [...scopeErrors, "invalid-query"],
  }),
  getProof: route({
    method: "GET",
    path: "/v1/proofs/{id}",
    access: "token",
    scope: "proofs:read",
    summary: "State, history, error, batch, settlement and anchor of a submission.",
    parameters: [id, prefer],
    etag: true,
    responses: { 200: { summary: "The submission.", schema: submissionSchema } },
    errors: [...scopeErrors, "not-found"],
  }),
  getReceipt: route({
    method: "GET",
    path: "/v1/proofs/{id}/receipt",
    access: "public",
    etag: true,
    summary: "The receipt, from `settled` on; `anchor` is null before the anchor is in a Bitcoin block.",
    parameters: [id],
    responses: { 200: { summary: "Canonical JSON.", contentType: RECEIPT_CONTENT_TYPE } },
    errors: ["not-found", "not-yet"],
  }),
  getReceiptOts: route({
    method: "GET",
    path: "/v1/proofs/{id}/receipt.ots",
    access: "public",
    etag: true,
    summary: "The same path as an OpenTimestamps file, pending before the anchor is in a Bitcoin block.",
    parameters: [id],
    responses: { 200: { summary: "A detached timestamp.", contentType: OTS_CONTENT_TYPE } },
    errors: ["not-found", "not-yet"],
  }),
  getProofBytes: route({
    method: "GET",
    path: "/v1/proofs/{id}/bytes",
    access: "token",
    scope: "proofs:read",
    etag: true,
    summary: "The canonical proof bytes, whose SHA-256 is `proof_hash`.",
    parameters: [id],
    responses: { 200: { summary: "The bytes.", contentType: "application/octet-stream" } },
    errors: [...scopeErrors, "not-found", "not-yet"],
  }),
  verify: route({
    method: "POST",
    path: "/v1/verify",
    access: "token",
    scope: "proofs:read",
    summary: "Verify a proof without storing anything.",
    body: verifySchema,
    responses: { 200: { summary: "The verdict, also of a false proof.", schema: verdictSchema } },
    errors: bodyErrors,
  }),
} as const;
