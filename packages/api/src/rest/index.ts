/** The REST half of the interface tables: routes, bodies, resources, problems, and what derives from them. */

export {
  type AccessAck,
  type AccessRequestBody,
  type AccessResource,
  type AccessState,
  accessLimits,
  accessRequestSchema,
  accessStates,
} from "./access-body.ts";
export { jsonPointer } from "./body-fault.ts";
export { type EventMessage, type EventType, eventTypes } from "./event-message.ts";
export { openApi } from "./openapi.ts";
export {
  type AccountResource,
  type FaultState,
  faucetSchema,
  faultsSchema,
  type LedgerPage,
  type QuoteResource,
  type WalletAnswer,
  walletSchema,
} from "./payment-resource.ts";
export {
  type FieldError,
  isProblemCode,
  PROBLEM_CONTENT_TYPE,
  PROBLEM_TYPE_BASE,
  type ProblemBody,
  type ProblemCode,
  problemBody,
  problems,
} from "./problem.ts";
export { isProofSystem, type ProofSystem, proofSystems } from "./proof-system.ts";
export { renderRestReference } from "./reference.ts";
export { type RejectionCode, rejections } from "./rejection.ts";
export {
  type AnchorList,
  type AnchorResource,
  type BatchList,
  type BatchResource,
  type StatusResource,
  type SubmissionAck,
  type SubmissionList,
  type SubmissionResource,
  type SubmissionState,
  submissionStates,
  type VerdictResource,
} from "./resource.ts";
export {
  type Environment,
  isServedIn,
  PUBLIC_IDEMPOTENCY_KEY_CHARACTERS,
  type Route,
  type RouteAccess,
  type RouteParameter,
  type RouteResponse,
  route,
} from "./route.ts";
export {
  EVENT_STREAM_CONTENT_TYPE,
  OTS_CONTENT_TYPE,
  RECEIPT_CONTENT_TYPE,
  TIMESTAMP_CONTENT_TYPE,
} from "./routes/content-types.ts";
export { type RestOperation, restRoutes } from "./routes.ts";
export { mineSchema, type RequestLogEntry, reorgSchema, serviceFaultsSchema } from "./sandbox.ts";
export { isScope, type Scope, scopes } from "./scope.ts";
export {
  type DecodedBatch,
  decodeBatch,
  type SubmissionBatch,
  submitProofsSchema,
} from "./submission-batch.ts";
export {
  type BodyWarning,
  bodyLimits,
  CHAIN_ID_FORM,
  type DecodedBody,
  decodeBody,
  isChainId,
  parseBlockNumber,
  proofDataSchema,
  type SubmitProofBody,
  submitProofSchema,
  type VerifyBody,
  verifySchema,
} from "./submission-body.ts";
export type { UsageResource } from "./usage-resource.ts";
export {
  MAX_CANONICAL_KEY_BYTES,
  type VerificationKeyBody,
  type VerificationKeyResource,
  verificationKeyBodySchema,
} from "./verification-key.ts";
export {
  type CreateWebhookBody,
  createWebhookSchema,
  type DeliveryList,
  type DeliveryResource,
  deliveryStates,
  type ReplayBody,
  replaySchema,
  type WebhookList,
  type WebhookResource,
  webhookLimits,
} from "./webhook.ts";
