/**
 * The door: submissions that arrive together become durable together, in one transaction per turn of the event loop,
 * and each caller is answered after that commit. Owns the bounds of what waits; does not read HTTP.
 */
import { submissionId } from "@cairn/proofs";
import type { Clock } from "./ports.ts";
import type { InsertOutcome, NewSubmission, Store } from "./store.ts";

/** A submission as a caller gives it. */
export interface SubmissionRequest {
  readonly account: string;
  /** As sent; compared without case. */
  readonly chainId: string;
  /** Canonical decimal below 2^64. */
  readonly blockNumber?: string | undefined;
  readonly proofData: string;
  /** Empty for direct submissions. */
  readonly source?: string | undefined;
  readonly externalId?: string | undefined;
  /** JSON text. */
  readonly metadata?: string | undefined;
  readonly reorgOf?: `0x${string}` | undefined;
  /** JSON text. */
  readonly evidence?: string | undefined;
}

/** Bounds of intake. */
export interface IntakePolicy {
  /** Submissions in `received`; more are refused until verification has caught up. */
  readonly maxReceived: number;
  /** Characters of proof data that wait for their commit. */
  readonly maxWaitingCharacters: number;
  /** Submissions of one commit. */
  readonly commitSize: number;
}

/** Answered after the commit. */
export type SubmitOutcome =
  | ({ readonly ok: true } & InsertOutcome)
  | { readonly ok: false; readonly code: "queue-full" | "closed" };

/** The intake. */
export interface Intake {
  submit(request: SubmissionRequest): Promise<SubmitOutcome>;
  /** The verifier took so many out of `received`. */
  released(count: number): void;
  /** Submissions that wait for verification or for their commit. */
  waiting(): number;
  /** Refuses further ones and ends with the last commit. */
  close(): Promise<void>;
}

interface Waiting {
  readonly submission: NewSubmission;
  readonly resolve: (outcome: SubmitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** What an intake is made of. `onStored` runs after each commit that queued something. */
export interface IntakeOptions {
  readonly store: Store;
  readonly environment: string;
  readonly policy: IntakePolicy;
  /** Submissions in `received` at the start. */
  readonly received: number;
  readonly clock: Clock;
  readonly onStored: () => void;
}

/** Makes the intake over a store. */
export function createIntake(o: IntakeOptions): Intake {
  let queue: Waiting[] = [];
  let characters = 0;
  let { received } = o;
  let closed = false;
  let draining: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    await nextTurn();
    while (queue.length > 0) {
      const group = queue.slice(0, o.policy.commitSize);
      queue = queue.slice(group.length);
      for (const { submission } of group) characters -= submission.proofData.length;
      const queued = await commit(o, group);
      received += queued;
      await nextTurn();
    }
    draining = undefined;
  };
  const isFull = (request: SubmissionRequest): boolean =>
    received + queue.length >= o.policy.maxReceived ||
    characters + request.proofData.length > o.policy.maxWaitingCharacters;

  return {
    submit: (request) => {
      if (closed) return Promise.resolve({ ok: false, code: "closed" });
      if (isFull(request)) return Promise.resolve({ ok: false, code: "queue-full" });
      return new Promise((resolve, reject) => {
        queue.push({ submission: newSubmission(o.environment, request), resolve, reject });
        characters += request.proofData.length;
        draining ??= drain();
      });
    },
    released: (count) => {
      received = Math.max(0, received - count);
    },
    waiting: () => received + queue.length,
    close: async () => {
      closed = true;
      await draining;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Stores a group and answers its callers; resolves with how many were queued for verification. */
async function commit(o: IntakeOptions, group: readonly Waiting[]): Promise<number> {
  try {
    const outcomes = await o.store.insert(
      group.map((waiting) => waiting.submission),
      o.clock(),
    );
    for (const [index, waiting] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) waiting.reject(new Error("the store gave fewer outcomes than submissions"));
      else waiting.resolve({ ok: true, ...outcome });
    }
    const queued = outcomes.filter((outcome) => outcome.outcome !== "duplicate").length;
    if (queued > 0) o.onStored();
    return queued;
  } catch (error) {
    for (const waiting of group) waiting.reject(error);
    return 0;
  }
}

/** Canonical form of a chain id inside ids, records and statements (formats: identifiers). */
export function canonicalChainId(chainId: string): string {
  return chainId.toLowerCase();
}

function newSubmission(environment: string, request: SubmissionRequest): NewSubmission {
  const chainKey = canonicalChainId(request.chainId);
  const source = request.source ?? "";
  const id = submissionId({
    environment,
    account: request.account,
    chainId: chainKey,
    blockNumber: request.blockNumber === undefined ? null : BigInt(request.blockNumber),
    source,
    proofData: request.proofData,
  });
  return {
    id,
    account: request.account,
    chainId: request.chainId,
    chainKey,
    blockNumber: request.blockNumber,
    source,
    proofData: request.proofData,
    externalId: request.externalId,
    metadata: request.metadata,
    reorgOf: request.reorgOf,
    evidence: request.evidence,
  };
}
