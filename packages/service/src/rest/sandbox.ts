/** The sandbox's debugging tools. Their routes are not served in production. */
import { mineSchema, reorgSchema, type SubmitProofBody, serviceFaultsSchema } from "@cairn/api";
import { bytesToHex } from "@cairn/primitives";
import type { SandboxControls } from "../sandbox/controls.ts";
import { acceptedBody } from "./accepted-body.ts";
import type { RestContext, RestHandler } from "./context.ts";
import { submissionAck } from "./present.ts";
import { ProblemError } from "./problem-error.ts";
import { ownSubmission } from "./proofs.ts";
import { pageQuery } from "./query.ts";
import { refusalOf, submissionRequest, verdictResource } from "./submit.ts";

const FORCE_MS = 5_000;

/** The account's newest requests. */
export function listRequests(context: RestContext): RestHandler {
  return async ({ http, caller }) => {
    const { limit } = pageQuery(context.cursors, "requests", http.query);
    return { items: context.requestLog?.list(caller.account, limit) ?? [] };
  };
}

/** One request of the account. */
export function getRequest(context: RestContext): RestHandler {
  return async ({ caller, params }) => {
    const found = context.requestLog?.find(caller.account, params.request_id ?? "");
    if (found === undefined) throw new ProblemError("not-found", { detail: "no such request is remembered" });
    return found;
  };
}

/** Sets and shows the fault switches. */
export function serviceFaults(context: RestContext): RestHandler {
  return async ({ http }) => {
    const { value } = acceptedBody(serviceFaultsSchema, http.body);
    const { faults } = controlsOf(context);
    faults.verifierDelayMs = value.verifier_delay_ms ?? faults.verifierDelayMs;
    faults.chainUnreachable = value.chain_unreachable ?? faults.chainUnreachable;
    faults.bitcoinUnreachable = value.bitcoin_unreachable ?? faults.bitcoinUnreachable;
    faults.webhooksFailing = value.webhooks_failing ?? faults.webhooksFailing;
    return {
      verifier_delay_ms: faults.verifierDelayMs,
      chain_unreachable: faults.chainUnreachable,
      bitcoin_unreachable: faults.bitcoinUnreachable,
      webhooks_failing: faults.webhooksFailing,
    };
  };
}

/** Verifies what is stored once more and hands it in as another submission. */
export function replaySubmission(context: RestContext): RestHandler {
  return async (request) => {
    const { caller, reply, requestName } = request;
    const stored = await ownSubmission(context, request);
    const proofData = await context.aggregator.store.proofData(stored.seq);
    if (proofData === undefined) throw new ProblemError("not-found", { detail: "its proof data is not kept" });
    const startedMs = performance.now();
    const [verdict] = await context.verifier.verify([proofData]);
    if (verdict === undefined) throw new Error("the verifier gave no verdict");
    const verified = verdictResource(verdict, Math.round((performance.now() - startedMs) * 1_000) / 1_000);
    const body: SubmitProofBody = {
      proof_data: proofData,
      chain_id: stored.chainId,
      ...(stored.blockNumber === undefined ? {} : { block_number: stored.blockNumber }),
      source: `replay|${stored.id}|${requestName === undefined ? new Date().toISOString() : bytesToHex(requestName)}`,
    };
    await context.payments.prepare(caller.account);
    const allowed = { ...caller, scopes: new Set([...caller.scopes, "reader:write" as const]) };
    const asked = submissionRequest(context, allowed, body);
    if (asked instanceof ProblemError) throw asked;
    const outcome = await context.aggregator.submit({ ...asked, request: requestName });
    if (!outcome.ok) throw refusalOf(context, outcome);
    reply.code(202).header("location", `/v1/proofs/${outcome.submission.id}`);
    return { verdict: verified, submission: submissionAck(outcome.submission, outcome.outcome === "duplicate") };
  };
}

/** Closes a batch of what is verified. */
export function forceBatch(context: RestContext): RestHandler {
  return async () => {
    const { store } = context.aggregator;
    const newest = async (): Promise<number> => (await store.batches({ limit: 1 }))[0]?.number ?? 0;
    const hasWork = async (): Promise<boolean> => (await store.pending(1)).length > 0;
    return { batch: await force(context, "batch", { newest, hasWork }) };
  };
}

/** Anchors what is settled. */
export function forceAnchor(context: RestContext): RestHandler {
  return async () => {
    const { store } = context.aggregator;
    const newest = async (): Promise<number> => (await store.lastAnchor())?.sequence ?? 0;
    const hasWork = async (): Promise<boolean> => (await store.unanchored(1)).length > 0;
    return { anchor: await force(context, "anchor", { newest, hasWork }) };
  };
}

/** Lets a worker act without its pause until it did, has nothing to do, or time is over. */
async function force(
  context: RestContext,
  what: keyof SandboxControls["forced"],
  o: { readonly newest: () => Promise<number>; readonly hasWork: () => Promise<boolean> },
): Promise<number | null> {
  const { forced } = controlsOf(context);
  const before = await o.newest();
  const deadline = performance.now() + FORCE_MS;
  try {
    forced[what] = true;
    while (performance.now() < deadline && !context.signal.aborted) {
      const now = await o.newest();
      if (now > before) return now;
      if (!(await o.hasWork())) return null;
      context.aggregator.wake(what === "batch" ? "batcher" : "anchorer");
      await context.aggregator.nextEvent(100, context.signal);
    }
    return null;
  } finally {
    forced[what] = false;
  }
}

/** Mines on the embedded regtest. */
export function mineBitcoin(context: RestContext): RestHandler {
  return async ({ http }) => {
    const { value } = acceptedBody(mineSchema, http.body);
    const regtest = regtestOf(context);
    const blocks = await regtest.mine(value.count ?? 1);
    return { blocks: [...blocks], height: regtest.height() };
  };
}

/** Takes the newest blocks of the embedded regtest back and mines one more, empty, in their place. */
export function reorgBitcoin(context: RestContext): RestHandler {
  return async ({ http }) => {
    const { value } = acceptedBody(reorgSchema, http.body);
    const regtest = regtestOf(context);
    const depth = Math.min(value.depth ?? 1, regtest.height());
    const first = await context.anchoring.blockHash(regtest.height() - depth + 1).catch(() => null);
    if (first === null) throw new ProblemError("unavailable", { headers: { "retry-after": "5" } });
    await regtest.invalidateBlock(first);
    const blocks = await regtest.mine(depth + 1, { empty: true });
    return { blocks: [...blocks], height: regtest.height() };
  };
}

function regtestOf(context: RestContext) {
  if (context.regtest === undefined) {
    throw new ProblemError("not-found", { detail: "this sandbox has no embedded Bitcoin node" });
  }
  return context.regtest;
}

function controlsOf(context: RestContext): SandboxControls {
  if (context.controls === undefined)
    throw new ProblemError("not-found", { detail: "this service has no fault switches" });
  return context.controls;
}
