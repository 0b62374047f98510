/** Every operation of the route table with its handler. */

import type { Metrics } from "../metrics/metrics.ts";
import { getAccessRequest, requestAccess } from "./access.ts";
import type { RestContext, RestHandlers } from "./context.ts";
import { docsPage } from "./docs.ts";
import { streamEvents } from "./events.ts";
import { healthz, metricsText, openApiDocument, readyz, status } from "./operations.ts";
import { bindWallet, getAccount, getQuote, listLedger, sandboxFaucet, sandboxFaults } from "./payment.ts";
import { getProof, getProofBytes, listProofs } from "./proofs.ts";
import { getReceipt, getReceiptOts, timestamp } from "./receipts.ts";
import { getBatch, listAnchors, listBatches } from "./registers.ts";
import {
  forceAnchor,
  forceBatch,
  getRequest,
  listRequests,
  mineBitcoin,
  reorgBitcoin,
  replaySubmission,
  serviceFaults,
} from "./sandbox.ts";
import { submitProof, verify } from "./submit.ts";
import { submitProofs } from "./submit-batch.ts";
import { getUsage } from "./usage.ts";
import { getVerificationKey, registerVerificationKey } from "./verification-keys.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
} from "./webhooks.ts";

/** Makes the handlers; `calendarUrl` is asked when a pending timestamp is written. */
export function createHandlers(context: RestContext, metrics: Metrics, calendarUrl: () => string): RestHandlers {
  return {
    ...submissionHandlers(context, calendarUrl),
    ...accountHandlers(context),
    ...sandboxHandlers(context),
    ...operationHandlers(context, metrics),
  };
}

function submissionHandlers(context: RestContext, calendarUrl: () => string) {
  return {
    submitProof: submitProof(context),
    submitProofs: submitProofs(context),
    listProofs: listProofs(context),
    getProof: getProof(context),
    getReceipt: getReceipt(context),
    getReceiptOts: getReceiptOts(context, calendarUrl),
    getProofBytes: getProofBytes(context),
    verify: verify(context),
    registerVerificationKey: registerVerificationKey(context),
    getVerificationKey: getVerificationKey(context),
    listBatches: listBatches(context),
    getBatch: getBatch(context),
    listAnchors: listAnchors(context),
    timestamp: timestamp(context),
  } satisfies Partial<RestHandlers>;
}

function accountHandlers(context: RestContext) {
  return {
    requestAccess: requestAccess(context),
    getAccessRequest: getAccessRequest(context),
    getUsage: getUsage(context),
    getQuote: getQuote(context),
    getAccount: getAccount(context),
    listLedger: listLedger(context),
    bindWallet: bindWallet(context),
    streamEvents: streamEvents(context),
    createWebhook: createWebhook(context),
    listWebhooks: listWebhooks(context),
    getWebhook: getWebhook(context),
    deleteWebhook: deleteWebhook(context),
    rotateWebhookSecret: rotateWebhookSecret(context),
    listDeliveries: listDeliveries(context),
    replayWebhook: replayWebhook(context),
  } satisfies Partial<RestHandlers>;
}

function sandboxHandlers(context: RestContext) {
  return {
    sandboxFaucet: sandboxFaucet(context),
    sandboxFaults: sandboxFaults(context),
    listRequests: listRequests(context),
    getRequest: getRequest(context),
    serviceFaults: serviceFaults(context),
    replaySubmission: replaySubmission(context),
    forceBatch: forceBatch(context),
    forceAnchor: forceAnchor(context),
    mineBitcoin: mineBitcoin(context),
    reorgBitcoin: reorgBitcoin(context),
  } satisfies Partial<RestHandlers>;
}

function operationHandlers(context: RestContext, metrics: Metrics) {
  return {
    status: status(context),
    healthz: healthz(),
    readyz: readyz(context),
    metrics: metricsText(metrics),
    docs: docsPage(context),
    openapi: openApiDocument(context),
  } satisfies Partial<RestHandlers>;
}
