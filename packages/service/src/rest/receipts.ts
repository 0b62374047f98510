/** Receipts as JSON and as OpenTimestamps files, and the calendar's answers. What they prove is in `@cairn/proofs`. */
import type { Batch, Submission } from "@cairn/aggregator";
import { OTS_CONTENT_TYPE, RECEIPT_CONTENT_TYPE, TIMESTAMP_CONTENT_TYPE } from "@cairn/api";
import type { Hash } from "@cairn/primitives";
import { buildOts, calendarAnswer, canonicalJson, type Receipt } from "@cairn/proofs";
import type { RestContext, RestHandler } from "./context.ts";
import { notYet, ProblemError } from "./problem-error.ts";
import { anySubmission } from "./proofs.ts";

/** The receipt in canonical JSON. Anyone who knows the id may have it. */
export function getReceipt(context: RestContext): RestHandler {
  return async (request) => {
    const submission = await anySubmission(context, request);
    const receipt = await receiptOr409(context, submission);
    request.reply
      .type(RECEIPT_CONTENT_TYPE)
      .header("content-disposition", `attachment; filename="${fileName(submission)}.receipt.json"`);
    return canonicalJson(JSON.parse(JSON.stringify(receipt)));
  };
}

/** The receipt's path as an `.ots` file; pending at this service's calendar before the anchor is mined. */
export function getReceiptOts(context: RestContext, calendarUrl: () => string): RestHandler {
  return async (request) => {
    const submission = await anySubmission(context, request);
    const receipt = await receiptOr409(context, submission);
    const name = `${fileName(submission)}${networkSuffix(context.anchoring.network)}.ots`;
    request.reply.type(OTS_CONTENT_TYPE).header("content-disposition", `attachment; filename="${name}"`);
    return Buffer.from(buildOts({ receipt, pendingUrl: calendarUrl() }));
  };
}

/** The calendar: from a batch or anchor commitment to Bitcoin. */
export function timestamp(context: RestContext): RestHandler {
  return async ({ params, reply }) => {
    const text = (params.commitment ?? "").toLowerCase().replace(/^0x/, "");
    const answer = /^[0-9a-f]{64}$/.test(text) ? await findPath(context, `0x${text}`) : undefined;
    if (answer === undefined) throw new ProblemError("not-found", { detail: "no anchored commitment with this hash" });
    reply.type(TIMESTAMP_CONTENT_TYPE);
    return Buffer.from(answer);
  };
}

async function findPath(context: RestContext, commitment: Hash): Promise<Uint8Array | undefined> {
  const { store } = context.aggregator;
  const batch = await store.batchByCommitment(commitment);
  if (batch !== undefined) return answerOf(context, batch, "batch");
  const anchor = await store.anchorByCommitment(commitment);
  const [first] = anchor === undefined ? [] : await store.anchorBatches(anchor.sequence);
  return first === undefined ? undefined : answerOf(context, first, "anchor");
}

async function answerOf(context: RestContext, batch: Batch, from: "batch" | "anchor"): Promise<Uint8Array | undefined> {
  const anchor = await context.aggregator.store.receiptAnchor(batch.number);
  return anchor === undefined ? undefined : calendarAnswer({ from, anchor });
}

async function receiptOr409(context: RestContext, submission: Submission): Promise<Receipt> {
  const outcome = await context.aggregator.receipt(submission);
  if (outcome.ok) return outcome.receipt;
  throw notYet(outcome.state);
}

function fileName(submission: Submission): string {
  return submission.id.slice(2, 18);
}

/** Files of test networks cannot be mistaken for real ones. */
function networkSuffix(network: string): string {
  if (network === "mainnet") return "";
  return network === "regtest" ? ".regtest" : ".testnet";
}
