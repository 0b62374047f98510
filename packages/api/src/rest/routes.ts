/** Every REST route of the service (proof-service: REST). Handlers are in `@cairn/service`. */
import {
  anchorListSchema,
  batchListSchema,
  batchSchema,
  statusSchema,
  submissionAckSchema,
  submissionListSchema,
  submissionSchema,
  verdictSchema,
} from "./resource.ts";
import { type RouteParameter, route } from "./route.ts";
import { submitProofSchema, verifySchema } from "./submission-body.ts";

/** Content type of a receipt. */
export const RECEIPT_CONTENT_TYPE = "application/vnd.cairn.receipt+json";
/** Content type of a detached OpenTimestamps file. */
export const OTS_CONTENT_TYPE = "application/vnd.opentimestamps.ots";
/** Content type of a calendar answer. */
export const TIMESTAMP_CONTENT_TYPE = "application/vnd.opentimestamps.v1";

const id: RouteParameter = { in: "path", name: "id", summary: "Id of the submission, 0x-hex.", required: true };
const prefer: RouteParameter = {
  in: "header",
  name: "Prefer",
  summary: "`wait=N`: answer only after the state changed, or after N seconds (at most 30; RFC 7240).",
};
const page: readonly RouteParameter[] = [
  { in: "query", name: "cursor", summary: "`next_cursor` of the page before." },
  { in: "query", name: "limit", summary: "Items per page, 1 to 100; 20 when absent." },
];
const filters: readonly RouteParameter[] = [
  { in: "query", name: "state", summary: "Only submissions in this state." },
  { in: "query", name: "chain_id", summary: "Only of this chain." },
  { in: "query", name: "since", summary: "Only received at or after this time (RFC 3339)." },
  { in: "query", name: "proof_hash", summary: "Only with this hash of the canonical proof." },
  { in: "query", name: "statement", summary: "Only proofs of this statement." },
  { in: "query", name: "external_id", summary: "Only with this `external_id`." },
];
const submitErrors = [
  "malformed-json",
  "unauthorized",
  "body-too-large",
  "unsupported-media-type",
  "invalid-body",
  "rate-limited",
  "queue-full",
  "unavailable",
] as const;

/** The route table. Keys name the operations. */
export const restRoutes = {
  submitProof: route({
    method: "POST",
    path: "/v1/submit-proof",
    access: "token",
    summary: "Submit a proof; the answer comes once the submission is stored durably.",
    parameters: [prefer],
    body: submitProofSchema,
    responses: {
      202: { summary: "Stored; `Location` is its status.", schema: submissionAckSchema },
      200: { summary: "Known already: same id, `duplicate` is true.", schema: submissionAckSchema },
    },
    errors: submitErrors,
  }),
  status: route({
    method: "GET",
    path: "/v1/status",
    access: "token",
    summary: "Connectivity check: environment, chain, anchor, limits.",
    responses: { 200: { summary: "The service answers.", schema: statusSchema } },
    errors: ["unauthorized"],
  }),
  listProofs: route({
    method: "GET",
    path: "/v1/proofs",
    access: "token",
    summary: "Own submissions, newest first.",
    parameters: [...filters, ...page],
    responses: { 200: { summary: "A page; `Link` names the next.", schema: submissionListSchema } },
    errors: ["unauthorized", "invalid-query"],
  }),
  getProof: route({
    method: "GET",
    path: "/v1/proofs/{id}",
    access: "token",
    summary: "State, history, error, batch, settlement and anchor of a submission.",
    parameters: [id, prefer, { in: "header", name: "If-None-Match", summary: "ETag of the version already known." }],
    responses: {
      200: { summary: "The submission, with `ETag`.", schema: submissionSchema },
      304: { summary: "Still the version of `If-None-Match`." },
    },
    errors: ["unauthorized", "not-found"],
  }),
  getReceipt: route({
    method: "GET",
    path: "/v1/proofs/{id}/receipt",
    access: "public",
    summary: "The receipt, from `settled` on; `anchor` is null before the anchor is in a Bitcoin block.",
    parameters: [id],
    responses: { 200: { summary: "Canonical JSON.", contentType: RECEIPT_CONTENT_TYPE } },
    errors: ["not-found", "not-yet"],
  }),
  getReceiptOts: route({
    method: "GET",
    path: "/v1/proofs/{id}/receipt.ots",
    access: "public",
    summary: "The same path as an OpenTimestamps file, pending before the anchor is in a Bitcoin block.",
    parameters: [id],
    responses: { 200: { summary: "A detached timestamp.", contentType: OTS_CONTENT_TYPE } },
    errors: ["not-found", "not-yet"],
  }),
  getProofBytes: route({
    method: "GET",
    path: "/v1/proofs/{id}/bytes",
    access: "token",
    summary: "The canonical proof bytes, whose SHA-256 is `proof_hash`.",
    parameters: [id],
    responses: { 200: { summary: "The bytes.", contentType: "application/octet-stream" } },
    errors: ["unauthorized", "not-found", "not-yet"],
  }),
  listBatches: route({
    method: "GET",
    path: "/v1/batches",
    access: "public",
    summary: "Batches, newest first.",
    parameters: page,
    responses: { 200: { summary: "A page.", schema: batchListSchema } },
    errors: ["invalid-query"],
  }),
  getBatch: route({
    method: "GET",
    path: "/v1/batches/{number}",
    access: "public",
    summary: "One batch.",
    parameters: [{ in: "path", name: "number", summary: "Number of the batch, from 1.", required: true }],
    responses: { 200: { summary: "The batch.", schema: batchSchema } },
    errors: ["not-found"],
  }),
  listAnchors: route({
    method: "GET",
    path: "/v1/anchors",
    access: "public",
    summary: "Anchors, newest first: a chain of Bitcoin transactions.",
    parameters: page,
    responses: { 200: { summary: "A page.", schema: anchorListSchema } },
    errors: ["invalid-query"],
  }),
  verify: route({
    method: "POST",
    path: "/v1/verify",
    access: "token",
    summary: "Verify a proof without storing anything.",
    body: verifySchema,
    responses: { 200: { summary: "The verdict, also of a false proof.", schema: verdictSchema } },
    errors: submitErrors,
  }),
  timestamp: route({
    method: "GET",
    path: "/timestamp/{commitment}",
    access: "public",
    summary: "OpenTimestamps calendar: the path from a batch or anchor commitment to Bitcoin.",
    parameters: [{ in: "path", name: "commitment", summary: "32 bytes in hex.", required: true }],
    responses: { 200: { summary: "A serialized timestamp.", contentType: TIMESTAMP_CONTENT_TYPE } },
    errors: ["not-found"],
  }),
  healthz: route({
    method: "GET",
    path: "/healthz",
    access: "public",
    summary: "The process is alive.",
    responses: { 200: { summary: "Alive.", contentType: "application/json" } },
    errors: [],
  }),
  readyz: route({
    method: "GET",
    path: "/readyz",
    access: "public",
    summary: "Database writable, chain and Bitcoin node reachable.",
    responses: { 200: { summary: "Ready.", contentType: "application/json" } },
    errors: ["unavailable"],
  }),
  metrics: route({
    method: "GET",
    path: "/metrics",
    access: "public",
    summary: "Prometheus metrics.",
    responses: { 200: { summary: "Text exposition format.", contentType: "text/plain" } },
    errors: [],
  }),
  openapi: route({
    method: "GET",
    path: "/openapi.json",
    access: "public",
    summary: "This interface as an OpenAPI 3.1 document.",
    responses: { 200: { summary: "OpenAPI 3.1.", contentType: "application/json" } },
    errors: [],
  }),
} as const;

/** Name of an operation. */
export type RestOperation = keyof typeof restRoutes;
