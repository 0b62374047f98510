/** `POST /v1/submit-proofs`: many submissions in one durable transaction, each with its own result. */
import { createHash } from "node:crypto";
import type { Submission, SubmissionRequest, SubmitOutcome } from "@cairn/aggregator";
import {
  type BodyWarning,
  type DecodedBody,
  decodeBatch,
  type SubmissionBatch,
  type SubmitProofBody,
} from "@cairn/api";
import type { Caller } from "../accounts/caller.ts";
import type { RestContext, RestHandler } from "./context.ts";
import { placeToWait } from "./prefer.ts";
import { submissionAck } from "./present.ts";
import { ProblemError, problemOf } from "./problem-error.ts";
import { answerable, refusalOf, submissionRequest, unkept } from "./submit.ts";

type Item = SubmissionBatch["items"][number];

/** What is known of an item before intake: why it is refused, or what is handed in. */
type Candidate =
  | { readonly refused: ProblemError }
  | { readonly request: SubmissionRequest; readonly warnings: readonly BodyWarning[] };

/** Stores what can be stored in one transaction; a problem for every item that cannot. */
export function submitProofs(context: RestContext): RestHandler {
  return async (asked): Promise<SubmissionBatch> => {
    const { http, reply, caller, takeRate, whileLive, requestName } = asked;
    const decoded = decodeBatch(http.body);
    if (!decoded.ok) throw new ProblemError("invalid-body", { errors: decoded.errors });
    // One was taken before the body was read.
    const allowed = 1 + takeRate(decoded.items.length - 1);
    await context.payments.prepare(caller.account);
    const candidates = decoded.items.map((item, index) =>
      candidate(context, caller, { item, index, isAllowed: index < allowed }),
    );
    const outcomes = await storeAll(context, candidates, requestName);
    const { seconds, leave } = placeToWait(context, asked);
    const verdicts = seconds === 0 ? undefined : waitForVerdicts(context, outcomes, { seconds, whileLive });
    const latest = (await verdicts?.finally(leave)) ?? new Map();
    if (seconds > 0) reply.header("preference-applied", `wait=${seconds}`);
    const items = candidates.map((entry, index) =>
      itemResult(context, { index, entry, outcome: outcomes[index], latest }),
    );
    const accepted = items.filter((item) => item.problem === undefined).length;
    return { accepted, refused: items.length - accepted, items };
  };
}

function candidate(
  context: RestContext,
  caller: Caller,
  o: { readonly item: DecodedBody<SubmitProofBody>; readonly index: number; readonly isAllowed: boolean },
): Candidate {
  const { item, index } = o;
  if (!o.isAllowed) return { refused: new ProblemError("rate-limited") };
  if (!item.ok) return { refused: new ProblemError("invalid-body", { errors: item.errors }) };
  const request = submissionRequest(context, caller, item.value, `/items/${index}`);
  return request instanceof ProblemError ? { refused: request } : { request, warnings: item.warnings };
}

/** An outcome at each candidate's place; undefined where nothing was handed in. */
async function storeAll(
  context: RestContext,
  candidates: readonly Candidate[],
  requestName: Uint8Array | undefined,
): Promise<readonly (SubmitOutcome | undefined)[]> {
  const requests = candidates.flatMap((entry, index) =>
    "request" in entry ? [{ ...entry.request, request: itemName(requestName, index) }] : [],
  );
  const outcomes = (await context.aggregator.submitMany(requests))[Symbol.iterator]();
  return candidates.map((entry) => ("request" in entry ? outcomes.next().value : undefined));
}

/** Names an item of a request: the same content twice in one body is a duplicate, however often that is sent. */
function itemName(requestName: Uint8Array | undefined, index: number): Uint8Array | undefined {
  return requestName === undefined ? undefined : createHash("sha256").update(requestName).update(`${index}`).digest();
}

/** The submissions that left `received` in time, by id. One deadline for all. */
async function waitForVerdicts(
  context: RestContext,
  outcomes: readonly (SubmitOutcome | undefined)[],
  { seconds, whileLive }: { readonly seconds: number; readonly whileLive: () => AbortSignal },
): Promise<ReadonlyMap<string, Submission>> {
  const deadline = performance.now() + seconds * 1_000;
  const latest = new Map<string, Submission>();
  const signal = whileLive();
  for (const outcome of outcomes) {
    if (outcome?.ok !== true || latest.has(outcome.submission.id)) continue;
    const timeoutMs = Math.max(0, deadline - performance.now());
    const { id } = outcome.submission;
    const isJudged = (now: Submission): boolean => now.state !== "received";
    const now = await context.aggregator.waitFor(id, isJudged, { timeoutMs, signal });
    latest.set(id, now ?? outcome.submission);
  }
  return latest;
}

function itemResult(
  context: RestContext,
  o: {
    readonly index: number;
    readonly entry: Candidate;
    readonly outcome: SubmitOutcome | undefined;
    readonly latest: ReadonlyMap<string, Submission>;
  },
): Item {
  const { index, entry, outcome, latest } = o;
  if ("refused" in entry) return problemItem(index, entry.refused);
  if (outcome === undefined) throw new Error("intake gave fewer outcomes than submissions");
  if (!outcome.ok) return problemItem(index, refusalOf(context, outcome));
  const isDuplicate = outcome.outcome === "duplicate";
  const submission = latest.get(outcome.submission.id) ?? answerable(outcome).submission;
  const warnings = [...entry.warnings, ...unkept(entry.request, outcome, `/items/${index}`)];
  return {
    index,
    status: isDuplicate ? 200 : 202,
    ...submissionAck(submission, isDuplicate),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function problemItem(index: number, refused: ProblemError): Item {
  const { errors, ...problem } = problemOf(refused);
  return {
    index,
    status: problem.status,
    problem: errors === undefined ? problem : { ...problem, errors: [...errors] },
  };
}
