/** `POST /v1/submit-proof` and `POST /v1/verify`. */

import type { SubmissionRequest, SubmitOutcome, Verdict } from "@cairn/aggregator";
import {
  type BodyWarning,
  parseBlockNumber,
  type SubmitProofBody,
  submitProofSchema,
  type VerdictResource,
  verifySchema,
} from "@cairn/api";
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { statementHash } from "@cairn/proofs";
import type { Caller } from "../accounts/caller.ts";
import { acceptedBody } from "./accepted-body.ts";
import type { RestContext, RestHandler } from "./context.ts";
import { paymentTerms, unpaid } from "./payment-terms.ts";
import { placeToWait } from "./prefer.ts";
import { submissionAck } from "./present.ts";
import { ProblemError } from "./problem-error.ts";

const QUEUE_RETRY_SECONDS = "5";

/** Stores a submission; 202 after the commit, 200 for a repeat. */
export function submitProof(context: RestContext): RestHandler {
  return async (asked) => {
    const { http, reply, caller, whileLive, requestName } = asked;
    const { value, warnings } = acceptedBody(submitProofSchema, http.body);
    await context.payments.prepare(caller.account);
    const request = submissionRequest(context, caller, value);
    if (request instanceof ProblemError) throw request;
    const outcome = await context.aggregator.submit({ ...request, request: requestName });
    const stored = answerable(accepted(context, outcome));
    const duplicate = stored.outcome === "duplicate";
    const { seconds, leave } = placeToWait(context, asked);
    const waited = await waitForVerdict(context, stored.submission, { seconds, whileLive }).finally(leave);
    if (waited.applied) reply.header("preference-applied", `wait=${waited.seconds}`);
    reply.code(duplicate ? 200 : 202).header("location", `/v1/proofs/${stored.submission.id}`);
    const ack = submissionAck(waited.submission, duplicate);
    const all = [...warnings, ...unkept(request, stored)];
    return all.length === 0 ? ack : { ...ack, warnings: all };
  };
}

/** Verifies without storing. */
export function verify(context: RestContext): RestHandler {
  return async ({ http }): Promise<VerdictResource> => {
    const { value, warnings } = acceptedBody(verifySchema, http.body);
    const startedMs = performance.now();
    const [verdict] = await context.verifier.verify([value.proof_data]);
    if (verdict === undefined) throw new Error("the verifier gave no verdict");
    const resource = verdictResource(verdict, Math.round((performance.now() - startedMs) * 1_000) / 1_000);
    return warnings.length === 0 ? resource : { ...resource, warnings: [...warnings] };
  };
}

type Accepted = Extract<SubmitOutcome, { ok: true }>;

/** What a repeat says of a known submission and is not kept: its first names stay; `pointer` leads to the body. */
export function unkept(
  asked: SubmissionRequest,
  { outcome, submission }: Accepted,
  pointer = "",
): readonly BodyWarning[] {
  if (outcome !== "duplicate" && outcome !== "requeued") return [];
  const detail = "not kept: the submission is known already, and stays as it was sent first";
  const isOther = (name: "externalId" | "metadata"): boolean =>
    asked[name] !== undefined && asked[name] !== submission[name];
  return [
    ...(isOther("externalId") ? [{ pointer: `${pointer}/external_id`, detail }] : []),
    ...(isOther("metadata") ? [{ pointer: `${pointer}/metadata`, detail }] : []),
  ];
}

/** A repeat of the request that stored a submission is answered as that was: just received. */
export function answerable(stored: Accepted): Accepted {
  if (stored.outcome !== "repeated") return stored;
  return { ...stored, submission: { ...stored.submission, state: "received", error: undefined } };
}

function accepted(context: RestContext, outcome: SubmitOutcome): Accepted {
  if (outcome.ok) return outcome;
  throw refusalOf(context, outcome);
}

/** Why intake took a submission not. */
export function refusalOf(context: RestContext, outcome: Extract<SubmitOutcome, { ok: false }>): ProblemError {
  if ("requiredWei" in outcome) return unpaid(context.payments, outcome);
  const code = outcome.code === "queue-full" ? "queue-full" : "unavailable";
  return new ProblemError(code, { headers: { "retry-after": QUEUE_RETRY_SECONDS } });
}

/** A body as intake takes it, or the problem of its members, chain or payment; `pointer` leads to the body. */
export function submissionRequest(
  { accounts, payments }: RestContext,
  { account, scopes }: Caller,
  body: SubmitProofBody,
  pointer = "",
): SubmissionRequest | ProblemError {
  const reserved = scopes.has("reader:write") ? [] : READER_MEMBERS.filter((name) => body[name] !== undefined);
  if (reserved.length > 0) return readerMembersRefused(reserved.map((name) => `${pointer}/${name}`));
  const chain = accounts.resolveChain(account, body.chain_id);
  if (chain === undefined) {
    const detail = "is no chain registered for this account";
    return new ProblemError("unknown-chain", {
      errors: [{ pointer: `${pointer}/chain_id`, code: "unknown-chain", detail }],
    });
  }
  const payment = paymentTerms(payments, { account, proofData: body.proof_data, quote: body.quote, pointer });
  if (payment instanceof ProblemError) return payment;
  return {
    account,
    payment,
    chainId: body.chain_id,
    chainKey: chain.chainKey,
    blockNumber: body.block_number === undefined ? undefined : parseBlockNumber(body.block_number),
    proofData: body.proof_data,
    source: body.source,
    externalId: body.external_id,
    metadata: body.metadata === undefined ? undefined : JSON.stringify(body.metadata),
    reorgOf: body.reorg_of === undefined ? undefined : `0x${body.reorg_of.slice(2)}`,
    evidence: body.evidence === undefined ? undefined : JSON.stringify(body.evidence),
  };
}

/** Members of a body that only the reader may send. */
const READER_MEMBERS = ["source", "reorg_of", "evidence"] as const;

function readerMembersRefused(pointers: readonly string[]): ProblemError {
  const scope = "reader:write";
  const detail = `needs a token with the scope ${scope}`;
  return new ProblemError("forbidden", {
    detail: `members of the body need the scope ${scope}`,
    errors: pointers.map((pointer) => ({ pointer, code: "forbidden", detail })),
    extensions: { scope },
    headers: { "www-authenticate": `Bearer realm="cairn", error="insufficient_scope", scope="${scope}"` },
  });
}

async function waitForVerdict(
  { aggregator }: RestContext,
  submission: Accepted["submission"],
  { seconds, whileLive }: { readonly seconds: number; readonly whileLive: () => AbortSignal },
) {
  if (seconds === 0) return { submission, applied: false, seconds };
  const end = { timeoutMs: seconds * 1_000, signal: whileLive() };
  const seen = await aggregator.waitFor(submission.id, (now) => now.state !== "received", end);
  return { submission: seen ?? submission, applied: true, seconds };
}

/** A verdict as answered. */
export function verdictResource(verdict: Verdict, durationMs: number): VerdictResource {
  if (!verdict.ok) {
    return { valid: false, error: { code: verdict.code, detail: verdict.detail }, duration_ms: durationMs };
  }
  const { kind, system, curve, encoding, version, proofHash, vkHash, publicInputsHash } = verdict;
  const common = { valid: true, kind, system, curve, encoding, version, proof_hash: proofHash };
  if (kind === "commitment") return { ...common, duration_ms: durationMs };
  const hashes = { vkHash: hexToBytes(vkHash), publicInputsHash: hexToBytes(publicInputsHash) };
  return {
    ...common,
    vk_hash: vkHash,
    public_inputs_hash: publicInputsHash,
    statement: bytesToHex(statementHash({ system, version, ...hashes })),
    duration_ms: durationMs,
  };
}
