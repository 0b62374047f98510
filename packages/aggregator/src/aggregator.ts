/**
 * The aggregator: intake and five workers (verify, batch, settle, anchor, ledger) over one store. Owns their wiring and
 * their life; rules are in the pure modules, sockets and keys behind the ports. A restart at any instant continues.
 */
import { type AnchorerPolicy, anchorerStep } from "./anchorer.ts";
import { batcherStep } from "./batcher.ts";
import { createChanges } from "./changes.ts";
import type { BatchPolicy } from "./close-batch.ts";
import { createIntake, type IntakePolicy, type SubmissionRequest, type SubmitOutcome } from "./intake.ts";
import { type Loop, type Rest, startLoop } from "./loop.ts";
import type { PricePlans } from "./payment/price.ts";
import { vaultWatchStep } from "./payment/vault-watch.ts";
import type { AnchorPort, Clock, Log, ProfilePort, SettlementPort, VaultPort, VerifierPort } from "./ports.ts";
import { originalOf, type ReceiptInfo, type ReceiptOutcome, receiptOf } from "./receipts.ts";
import { type SettlerPolicy, settlerStep } from "./settler.ts";
import type { Store, Submission } from "./store.ts";
import { type VerifierPolicy, verifierStep } from "./verifier.ts";

/** Every bound and pace of the aggregator. */
export interface AggregatorPolicy extends BatchPolicy, IntakePolicy, VerifierPolicy, SettlerPolicy, AnchorerPolicy {}

/** Sandbox values; `pollMs` is shared by settler and anchorer. */
export const SANDBOX_POLICY: AggregatorPolicy = {
  batchSlots: 512,
  batchIntervalMs: 2_000,
  batchBytes: 700_000,
  batchGas: 49_000_000,
  maxReceived: 100_000,
  maxWaitingCharacters: 64 * 1024 * 1024,
  commitSize: 1_000,
  groupSize: 256,
  groupCharacters: 8 * 1024 * 1024,
  inFlight: 8,
  pollMs: 100,
  resendMs: 3_000,
  anchorPeriodMs: 5_000,
  finalDepth: 3,
  rebroadcastMs: 5_000,
  bumpBlocks: 6,
};

/** What an aggregator is made of. */
export interface AggregatorOptions {
  readonly store: Store;
  readonly verifier: VerifierPort;
  /** Of the chains that accounts registered; without it every artifact must speak for itself. */
  readonly profileOf?: ProfilePort;
  readonly settlement: SettlementPort;
  readonly anchoring: AnchorPort;
  readonly policy: AggregatorPolicy;
  readonly info: ReceiptInfo;
  readonly clock: Clock;
  /** 32 random bytes. */
  readonly randomSalt: () => Uint8Array;
  readonly log: Log;
  /** Absent: nobody pays. */
  readonly payments?: PaymentParts;
  /** Sees every failure of a worker, which goes on trying. */
  readonly onFailure?: (error: unknown, worker: WorkerName) => void;
  /** Told before what an operator must know of becomes durable; resolves once the alarm is. */
  readonly onAlarm?: (code: "excluded-in-consensus" | "final-anchor-lost", detail: string) => Promise<void>;
}

/** Prices, and where the money is. */
export interface PaymentParts {
  readonly plans: PricePlans;
  /** Absent: the sandbox's mock money. */
  readonly vault?: VaultPort;
  /** Asked once per settled batch: mock payments fall short (a fault of the sandbox). */
  readonly mockShort?: () => boolean;
}

/** Names of the workers. */
export const WORKER_NAMES = ["verifier", "batcher", "settler", "anchorer", "ledger"] as const;
/** Name of a worker; `ledger` runs only over a vault. */
export type WorkerName = (typeof WORKER_NAMES)[number];

/** A running aggregator. */
export interface Aggregator {
  /** Answers after the submission is durable. */
  submit(request: SubmissionRequest): Promise<SubmitOutcome>;
  /** Several in one durable transaction; an outcome each, in order. */
  submitMany(requests: readonly SubmissionRequest[]): Promise<readonly SubmitOutcome[]>;
  /** The submission once `until` holds, or as it is after `timeoutMs`; undefined: unknown id. */
  waitFor(
    id: `0x${string}`,
    until: (submission: Submission) => boolean,
    o: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<Submission | undefined>;
  /** Resolves true once more events may be in the store, false after `timeoutMs` or when `signal` aborts. */
  nextEvent(timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Lets an idle worker look at once. */
  wake(worker: WorkerName): void;
  receipt(submission: Submission): Promise<ReceiptOutcome>;
  /** Canonical proof bytes; undefined before `verified`. */
  canonicalProof(submission: Submission): Promise<Uint8Array | undefined>;
  /** Reading of what is durable. */
  readonly store: Store;
  /** Submissions that wait for verification. */
  waiting(): number;
  /** Final anchors whose block left the best chain since the start: each one is an alarm. */
  finalAnchorsLost(): number;
  /** Whether the unconfirmed anchor should offer a higher fee than its cap allows. */
  feeCapped(): boolean;
  /** Whether an anchor is due and the wallet has no coin at all. */
  unfunded(): boolean;
  /** Message of each worker that is failing now. */
  failing(): Partial<Readonly<Record<WorkerName, string>>>;
  /** Ends intake and workers after their step in progress; the store stays open. */
  close(): Promise<void>;
}

/** Starts intake and workers. */
export async function createAggregator(o: AggregatorOptions): Promise<Aggregator> {
  const changes = createChanges();
  const events = createChanges();
  const received = (await o.store.countByState()).received;
  const intake = createIntake({
    store: o.store,
    environment: o.info.environment,
    policy: o.policy,
    received,
    clock: o.clock,
    onStored: () => {
      events.notify();
      loops.verifier.wake();
    },
  });
  let finalAnchorsLost = 0;
  let feeCapped = false;
  let unfunded = false;
  const loops = startWorkers(o, {
    notify: () => {
      changes.notify();
      events.notify();
    },
    released: (count) => intake.released(count),
    finalLost: async (sequence) => {
      await o.onAlarm?.("final-anchor-lost", `the block of the final anchor ${sequence} left the best chain`);
      finalAnchorsLost += 1;
    },
    feeCapped: (isCapped) => {
      feeCapped = isCapped;
    },
    unfunded: (isUnfunded) => {
      unfunded = isUnfunded;
    },
  });
  return {
    submit: intake.submit,
    submitMany: intake.submitMany,
    waitFor: async (id, until, { timeoutMs, signal }) => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const since = changes.count();
        const submission = await o.store.find(id);
        if (submission === undefined || until(submission)) return submission;
        const changed = await changes.next(deadline - performance.now(), signal, since);
        if (!changed) return o.store.find(id);
      }
    },
    nextEvent: events.next,
    wake: (worker) => loops[worker]?.wake(),
    receipt: (submission) => receiptOf(o.store, o.settlement, o.info, submission),
    canonicalProof: async (submission) => o.store.canonicalProof((await originalOf(o.store, submission)).seq),
    store: o.store,
    waiting: intake.waiting,
    finalAnchorsLost: () => finalAnchorsLost,
    feeCapped: () => feeCapped,
    unfunded: () => unfunded,
    failing: () => failures(loops),
    close: async () => {
      changes.close();
      events.close();
      await Promise.all([intake.close(), ...Object.values(loops).map((loop) => loop.close())]);
    },
  };
}

type Loops = Readonly<Record<Exclude<WorkerName, "ledger">, Loop> & { readonly ledger?: Loop }>;

interface WorkerEvents {
  readonly notify: () => void;
  readonly released: (count: number) => void;
  readonly finalLost: (sequence: number) => Promise<void>;
  readonly feeCapped: (isCapped: boolean) => void;
  readonly unfunded: (isUnfunded: boolean) => void;
}

function startWorkers(o: AggregatorOptions, events: WorkerEvents): Loops {
  const { store, policy, clock, log } = o;
  const { notify, released, finalLost, feeCapped, unfunded } = events;
  const start = (name: WorkerName, step: () => Promise<Rest>): Loop =>
    startLoop({ name, log, onFailure: (error) => o.onFailure?.(error, name), step });
  const settler = start(
    "settler",
    settlerStep({
      ...{ store, port: o.settlement, policy, clock, log },
      ...(o.payments?.mockShort === undefined ? {} : { mockShort: o.payments.mockShort }),
      onExcluded: async (detail) => o.onAlarm?.("excluded-in-consensus", detail),
      onSettled: () => {
        notify();
        anchorer.wake();
      },
    }),
  );
  const anchorer = start(
    "anchorer",
    anchorerStep({
      ...{ store, port: o.anchoring, policy, clock, log, onMoved: notify },
      ...{ onFinalLost: finalLost, onFeeCapped: feeCapped, onUnfunded: unfunded },
    }),
  );
  const batcher = start(
    "batcher",
    batcherStep({
      ...{ store, policy, clock, log },
      onClosed: () => {
        notify();
        settler.wake();
      },
    }),
  );
  const verifier = start(
    "verifier",
    verifierStep({
      ...{ store, verifier: o.verifier, profileOf: o.profileOf, policy, clock, randomSalt: o.randomSalt },
      ...(o.payments === undefined ? {} : { plans: o.payments.plans }),
      onVerified: (count) => {
        released(count);
        notify();
        batcher.wake();
      },
    }),
  );
  const ledger = startLedger(o, start);
  return { verifier, batcher, settler, anchorer, ...(ledger === undefined ? {} : { ledger }) };
}

function startLedger(
  o: AggregatorOptions,
  start: (name: "ledger", step: () => Promise<Rest>) => Loop,
): Loop | undefined {
  const port = o.payments?.vault;
  if (port === undefined) return undefined;
  const { store, clock, policy } = o;
  return start("ledger", vaultWatchStep({ store, port, pollMs: Math.max(policy.pollMs, LEDGER_POLL_MS), clock }));
}

/** A deposit counts about this long after its block and the next one. */
const LEDGER_POLL_MS = 250;

function failures(loops: Loops): Partial<Record<WorkerName, string>> {
  const failing: Partial<Record<WorkerName, string>> = {};
  for (const name of WORKER_NAMES) {
    const message = loops[name]?.failing();
    if (message !== undefined) failing[name] = message;
  }
  return failing;
}
