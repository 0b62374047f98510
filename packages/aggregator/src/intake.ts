/**
 * The door: submissions that arrive together become durable together, in one transaction per turn of the event loop,
 * and each caller is answered after that commit. Owns the bounds of what waits; does not read HTTP.
 */
import { submissionId } from "@cairn/proofs";
import { type PaymentRefusal, paymentRefusal } from "./payment/ledger.ts";
import type { PaymentTerms } from "./payment/ledger-store.ts";
import type { Clock } from "./ports.ts";
import type { Inserted, InsertOutcome, NewSubmission, Store } from "./store.ts";

/** A submission as a caller gives it. */
export interface SubmissionRequest {
  readonly account: string;
  /** As sent; compared without case. */
  readonly chainId: string;
  /** The chain that `chainId` stands for where it is an alias, canonical; default: `chainId` in canonical form. */
  readonly chainKey?: string | undefined;
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
  /** Who pays, and what is reserved in the transaction that stores it. Absent: nobody pays. */
  readonly payment?: PaymentTerms | undefined;
  /** Names the request when it may be repeated: 32 bytes. */
  readonly request?: Uint8Array | undefined;
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
  | ({ readonly ok: true } & Inserted)
  | { readonly ok: false; readonly code: "queue-full" | "closed" }
  | ({ readonly ok: false; readonly code: PaymentRefusal["outcome"] } & Pick<
      PaymentRefusal,
      "requiredWei" | "availableWei"
    >);

/** The intake. */
export interface Intake {
  submit(request: SubmissionRequest): Promise<SubmitOutcome>;
  /** Several in one durable transaction; an outcome each, in order. What does not fit any more is refused alone. */
  submitMany(requests: readonly SubmissionRequest[]): Promise<readonly SubmitOutcome[]>;
  /** The verifier took so many out of `received`. */
  released(count: number): void;
  /** Submissions that wait for verification or for their commit. */
  waiting(): number;
  /** Refuses further ones and ends with the last commit. */
  close(): Promise<void>;
}

/** Submissions of one call: never split over two transactions. */
interface Waiting {
  readonly submissions: readonly NewSubmission[];
  readonly resolve: (outcomes: readonly InsertOutcome[]) => void;
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
  const queue = createQueue(o.policy);
  // Below 0 for a moment, when the verifier is done before the commit it took from is told here.
  let { received } = o;
  let closed = false;
  let draining: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    await nextTurn();
    for (let group = queue.take(); group.length > 0; group = queue.take()) {
      const queued = await commit(o, group);
      // Read after the commit: the verifier may have released some meanwhile.
      received += queued;
      await nextTurn();
    }
    draining = undefined;
  };
  const store = (submissions: readonly NewSubmission[]): Promise<readonly InsertOutcome[]> =>
    new Promise((resolve, reject) => {
      queue.put({ submissions, resolve, reject });
      draining ??= drain();
    });
  const submitMany = async (requests: readonly SubmissionRequest[]): Promise<readonly SubmitOutcome[]> => {
    if (closed) return requests.map(() => ({ ok: false, code: "closed" }));
    const fitting = queue.fitting(requests, Math.max(0, received));
    const stored = fitting === 0 ? [] : await store(requests.slice(0, fitting).map((r) => newSubmission(o, r)));
    const outcomes = stored.map(submitOutcome);
    for (const request of requests.slice(stored.length)) outcomes.push(await turnedAway(o, request));
    return outcomes;
  };
  return {
    submit: async (request) => (await submitMany([request]))[0] ?? { ok: false, code: "closed" },
    submitMany,
    released: (count) => {
      received -= count;
    },
    waiting: () => Math.max(0, received) + queue.size(),
    close: async () => {
      closed = true;
      await draining;
    },
  };
}

/** What waits for its commit: bounded by count and by characters, taken in calls that are never split. */
function createQueue(policy: IntakePolicy) {
  let calls: Waiting[] = [];
  let size = 0;
  let characters = 0;
  return {
    size: () => size,
    /** How many of these, from the first on, may be put. */
    fitting: (requests: readonly SubmissionRequest[], received: number): number => {
      let left = policy.maxWaitingCharacters - characters;
      const full = requests.findIndex((request, index) => {
        left -= request.proofData.length;
        return left < 0 || received + size + index >= policy.maxReceived;
      });
      return full === -1 ? requests.length : full;
    },
    put: (waiting: Waiting): void => {
      calls.push(waiting);
      size += waiting.submissions.length;
      for (const { proofData } of waiting.submissions) characters += proofData.length;
    },
    /** The next calls, together about `commitSize` submissions. */
    take: (): readonly Waiting[] => {
      let taken = 0;
      let count = 0;
      while (count < calls.length && taken < policy.commitSize) {
        taken += calls[count]?.submissions.length ?? 0;
        count += 1;
      }
      const group = calls.slice(0, count);
      calls = calls.slice(count);
      size -= taken;
      for (const call of group) for (const { proofData } of call.submissions) characters -= proofData.length;
      return group;
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
      group.flatMap((waiting) => waiting.submissions),
      o.clock(),
    );
    let from = 0;
    for (const waiting of group) {
      waiting.resolve(outcomes.slice(from, from + waiting.submissions.length));
      from += waiting.submissions.length;
    }
    const queued = outcomes.filter(({ outcome }) => outcome === "inserted" || outcome === "requeued").length;
    if (queued > 0) o.onStored();
    return queued;
  } catch (error) {
    for (const waiting of group) waiting.reject(error);
    return 0;
  }
}

/** The queue is full; a payer that could not pay is told that first. */
async function turnedAway(o: IntakeOptions, { payment }: SubmissionRequest): Promise<SubmitOutcome> {
  if (payment === undefined) return { ok: false, code: "queue-full" };
  const refusal = paymentRefusal(await o.store.books(payment.payer), payment, o.clock());
  return refusal === undefined ? { ok: false, code: "queue-full" } : submitOutcome(refusal);
}

function submitOutcome(outcome: InsertOutcome): SubmitOutcome {
  if ("submission" in outcome) return { ok: true, ...outcome };
  const { outcome: code, requiredWei, availableWei } = outcome;
  return { ok: false, code, requiredWei, availableWei };
}

/** Canonical form of a chain id inside ids, records and statements (docs/formats.md, Identifiers). */
export function canonicalChainId(chainId: string): string {
  return chainId.toLowerCase();
}

function newSubmission({ environment }: IntakeOptions, request: SubmissionRequest): NewSubmission {
  const chainKey = request.chainKey ?? canonicalChainId(request.chainId);
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
    payment: request.payment,
    request: request.request,
  };
}
