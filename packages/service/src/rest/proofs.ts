/** Reading submissions: one with long-polling and ETag, a page of them, canonical bytes. */
import { canonicalChainId, type Submission } from "@cairn/aggregator";
import type { SubmissionList } from "@cairn/api";
import type { RestContext, RestHandler, RestRequest } from "./context.ts";
import { matchesTag, matchesVersion, versionTag } from "./etag.ts";
import { linkNext } from "./next-page.ts";
import { pageReads } from "./page-reads.ts";
import { placeToWait } from "./prefer.ts";
import { submissionResource } from "./present.ts";
import { notYet, ProblemError } from "./problem-error.ts";
import { submissionQuery } from "./query.ts";

/** One submission of the caller. */
export function getProof(context: RestContext): RestHandler {
  return async (request) => {
    const { http, reply } = request;
    const known = http.headers["if-none-match"];
    const first = await tagged(context, await ownSubmission(context, request));
    const isNews = (now: Submission): boolean =>
      known === undefined
        ? now.version !== first.submission.version || isEnd(now)
        : !matchesVersion(known, now.version);
    const hasFirst = known === undefined ? !isNews(first.submission) : matchesTag(known, first.tag);
    const { seconds, leave } = placeToWait(context, request);
    const waits = seconds > 0 && hasFirst;
    const shown = waits
      ? await tagged(context, await poll(context, request, { first: first.submission, isNews, seconds }).finally(leave))
      : first;
    leave();
    if (seconds > 0) reply.header("preference-applied", `wait=${seconds}`);
    reply.header("etag", shown.tag).type("application/json; charset=utf-8");
    return shown.text;
  };
}

/** The representation of a submission and its tag. */
async function tagged(context: RestContext, submission: Submission) {
  const resource = await submissionResource(context.aggregator.store, context.settlement.chainId, submission);
  const text = JSON.stringify(resource);
  return { submission, text, tag: versionTag(submission.version, text) };
}

/** A page of the caller's submissions. */
export function listProofs(context: RestContext): RestHandler {
  return async ({ http, reply, caller }): Promise<SubmissionList> => {
    const chainKeyOf = (chainId: string): string =>
      context.accounts.resolveChain(caller.account, chainId)?.chainKey ?? canonicalChainId(chainId);
    const { query, listing } = submissionQuery(context.cursors, caller.account, http.query, chainKeyOf);
    const { store } = context.aggregator;
    const found = await store.list({ ...query, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    const reads = await pageReads(store, page);
    const items = await Promise.all(page.map((item) => submissionResource(reads, context.settlement.chainId, item)));
    const last = found.length > query.limit ? page.at(-1) : undefined;
    if (last === undefined) return { items };
    return { items, next_cursor: linkNext(http, reply, context.cursors.encode(listing, last.seq)) };
  };
}

/** The canonical proof bytes of a verified submission. */
export function getProofBytes(context: RestContext): RestHandler {
  return async (request) => {
    const submission = await ownSubmission(context, request);
    const bytes = await context.aggregator.canonicalProof(submission);
    if (bytes === undefined) throw notYet(submission.state);
    request.reply.type("application/octet-stream").header("content-disposition", `attachment; filename="proof.bin"`);
    return Buffer.from(bytes);
  };
}

/** The submission named by the path, whoever asks; the `not-found` problem for an unknown or malformed id. */
export async function anySubmission(context: RestContext, request: RestRequest): Promise<Submission> {
  const id = (request.params.id ?? "").toLowerCase();
  const submission = /^0x[0-9a-f]{64}$/.test(id) ? await context.aggregator.store.find(`0x${id.slice(2)}`) : undefined;
  if (submission === undefined) throw new ProblemError("not-found", { detail: "no submission with this id" });
  return submission;
}

/** The submission named by the path when it is the caller's; the `not-found` problem otherwise. */
export async function ownSubmission(context: RestContext, request: RestRequest): Promise<Submission> {
  const submission = await anySubmission(context, request);
  if (submission.account !== request.caller.account) {
    throw new ProblemError("not-found", { detail: "no submission with this id" });
  }
  return submission;
}

async function poll(
  { aggregator }: RestContext,
  { whileLive }: RestRequest,
  o: { readonly first: Submission; readonly isNews: (submission: Submission) => boolean; readonly seconds: number },
): Promise<Submission> {
  const end = { timeoutMs: o.seconds * 1_000, signal: whileLive() };
  return (await aggregator.waitFor(o.first.id, o.isNews, end)) ?? o.first;
}

function isEnd(submission: Submission): boolean {
  return submission.state === "final" || submission.state === "rejected";
}
