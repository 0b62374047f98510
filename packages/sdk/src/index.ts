/** Typed clients and receipt verification for integrators. */
export type {
  AnchorList,
  BatchList,
  BatchResource,
  FieldError,
  ProblemCode,
  StatusResource,
  SubmissionAck,
  SubmissionBatch,
  SubmissionList,
  SubmissionResource,
  SubmissionState,
  SubmitProofBody,
  VerdictResource,
} from "@cairn/api";
export { type Receipt, type Trust, type Verification, verifyReceipt } from "@cairn/proofs";
export type { AccountClient, SignTypedData } from "./account-client.ts";
export {
  createServiceClient,
  type ListOptions,
  type PageOptions,
  type ServiceClient,
  type SubmitOptions,
} from "./client.ts";
export { type EventsOptions, type ServiceEvent, serviceEvents } from "./events.ts";
export type { Connection, KeyOption } from "./http.ts";
export { NodeRefused } from "./json-rpc.ts";
export { ServiceProblem, ServiceUnreachable, StateNotReached } from "./service-problem.ts";
export {
  createVault,
  type Vault,
  type VaultReceipt,
  type VaultSigner,
  type VaultState,
  type VaultTransaction,
} from "./vault.ts";
export {
  type VerifiedWebhook,
  verifyWebhook,
  type WebhookInput,
  type WebhookRefusalCode,
  WebhookRefused,
} from "./webhook.ts";
export type { DeliveryOptions, WebhookClient } from "./webhook-client.ts";
