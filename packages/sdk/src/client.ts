/** The typed client of the proof service, for Node and browsers. Owns no state but its connection. */
import type {
  AnchorList,
  BatchList,
  BatchResource,
  StatusResource,
  SubmissionAck,
  SubmissionBatch,
  SubmissionList,
  SubmissionResource,
  SubmissionState,
  SubmitProofBody,
  VerdictResource,
} from "@cairn/api";
import type { Receipt } from "@cairn/proofs";
import { type AccountClient, accountClient } from "./account-client.ts";
import { type Connection, type Exchange, exchange, exchangeJson, type KeyOption, queryOf } from "./http.ts";
import { StateNotReached } from "./service-problem.ts";
import { type WebhookClient, webhookClient } from "./webhook-client.ts";

/** Filters of a listing. */
export interface ListOptions {
  readonly state?: SubmissionState;
  readonly chain_id?: string;
  readonly since?: string;
  readonly proof_hash?: string;
  readonly statement?: string;
  readonly external_id?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** How a submission is sent. */
export interface SubmitOptions extends KeyOption {
  /** At most 30: wait for the verdict. */
  readonly waitSeconds?: number;
}

/** A page of a register. */
export interface PageOptions {
  readonly cursor?: string;
  readonly limit?: number;
}

/** The proof service, called from outside. Every call throws `ServiceProblem` or `ServiceUnreachable`. */
export interface ServiceClient extends AccountClient, WebhookClient {
  /** `waitSeconds` (at most 30) waits for the verdict. The same content again answers the same id. */
  submitProof(body: SubmitProofBody, o?: SubmitOptions): Promise<SubmissionAck>;
  /** Up to 1,000 at once, durable together; a result for each, in order. */
  submitProofs(items: readonly SubmitProofBody[], o?: SubmitOptions): Promise<SubmissionBatch>;
  getProof(id: string): Promise<SubmissionResource>;
  listProofs(o?: ListOptions): Promise<SubmissionList>;
  /**
   * The submission once it is in `state` or further. Throws `StateNotReached` when it is rejected or `timeoutMs`
   * (default 60,000) passes.
   */
  waitFor(
    id: string,
    state: SubmissionState,
    o?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<SubmissionResource>;
  receipt(id: string): Promise<Receipt>;
  /** The receipt's text as served: canonical JSON. */
  receiptText(id: string): Promise<string>;
  receiptOts(id: string): Promise<Uint8Array>;
  /** Canonical proof bytes. */
  proofBytes(id: string): Promise<Uint8Array>;
  verify(proofData: string): Promise<VerdictResource>;
  batches(o?: PageOptions): Promise<BatchList>;
  batch(number: number): Promise<BatchResource>;
  anchors(o?: PageOptions): Promise<AnchorList>;
  status(): Promise<StatusResource>;
}

/** Makes a client. */
export function createServiceClient(connection: Connection): ServiceClient {
  const json = <T>(o: Exchange): Promise<T> => exchangeJson(connection, o);
  const bytes = async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await (await exchange(connection, { path })).arrayBuffer());
  const proof = (id: string): string => `v1/proofs/${encodeURIComponent(id)}`;
  const receiptText = async (id: string): Promise<string> =>
    (await exchange(connection, { path: `${proof(id)}/receipt` })).text();
  return {
    ...accountClient(connection),
    ...webhookClient(connection),
    submitProof: (body, o = {}) => json({ method: "POST", path: "v1/submit-proof", body, ...o }),
    submitProofs: (items, o = {}) => json({ method: "POST", path: "v1/submit-proofs", body: { items }, ...o }),
    getProof: (id) => json({ path: proof(id) }),
    listProofs: (o) => json({ path: `v1/proofs${queryOf(o)}` }),
    waitFor: (id, state, o = {}) => waitFor(connection, proof(id), state, o),
    receipt: async (id) => JSON.parse(await receiptText(id)),
    receiptText,
    receiptOts: (id) => bytes(`${proof(id)}/receipt.ots`),
    proofBytes: (id) => bytes(`${proof(id)}/bytes`),
    verify: (proofData) => json({ method: "POST", path: "v1/verify", body: { proof_data: proofData } }),
    batches: (o) => json({ path: `v1/batches${queryOf(o)}` }),
    batch: (number) => json({ path: `v1/batches/${number}` }),
    anchors: (o) => json({ path: `v1/anchors${queryOf(o)}` }),
    status: () => json({ path: "v1/status" }),
  };
}

const ORDER: readonly SubmissionState[] = ["received", "verified", "batched", "settled", "anchored", "final"];
const LONGEST_POLL_SECONDS = 30;
const DEFAULT_WAIT_MS = 60_000;
const PAUSE_MS = 1_000;

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted === true) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}

async function waitFor(
  connection: Connection,
  path: string,
  state: SubmissionState,
  o: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
): Promise<SubmissionResource> {
  const deadline = performance.now() + (o.timeoutMs ?? DEFAULT_WAIT_MS);
  const signal = o.signal === undefined ? {} : { signal: o.signal };
  const first = await exchange(connection, { path, ...signal });
  let etag = first.headers.get("etag") ?? "";
  let submission = (await first.json()) as SubmissionResource;
  for (;;) {
    if (submission.state === state) return submission;
    if (submission.state === "rejected") throw new StateNotReached("rejected", submission);
    if (state !== "rejected" && ORDER.indexOf(submission.state) >= ORDER.indexOf(state)) return submission;
    const leftSeconds = (deadline - performance.now()) / 1_000;
    if (leftSeconds <= 0 || submission.state === "final") throw new StateNotReached("timeout", submission);
    const waitSeconds = Math.min(LONGEST_POLL_SECONDS, Math.ceil(leftSeconds));
    const next = await exchange(connection, { path, waitSeconds, headers: { "if-none-match": etag }, ...signal });
    if (next.status === 304) {
      // A service that does not wait now (RFC 7240: a preference is no condition) is asked again after a pause.
      if (!next.headers.has("preference-applied")) await pause(PAUSE_MS, o.signal);
      continue;
    }
    etag = next.headers.get("etag") ?? "";
    submission = (await next.json()) as SubmissionResource;
  }
}
