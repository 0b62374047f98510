/**
 * Owns gathering submissions: those of one event-loop turn cross into the native core together, one group at a time,
 * in the order they came. Not the pool's rules.
 */
import type { AdmitOutcome, Native } from "@cairn/native";
import type { SubmitOutcome } from "./submission.ts";

/** Submissions waiting while a group is with the native core; more are refused with `pool-full`. */
export const MAX_WAITING = 20_000;

/** Largest group. */
const MAX_GROUP = 4_096;

/** One admitted group in order: what the core found of each, and how to answer it. */
export type TakeGroup = (
  group: readonly { readonly raw: Uint8Array; readonly found: AdmitOutcome }[],
) => SubmitOutcome[];

/** The gate in front of the pool. */
export interface Admission {
  submit(raw: Uint8Array): Promise<SubmitOutcome>;
  /** Resolves when every submission made so far is answered; `undefined` when all are. */
  settled(): Promise<void> | undefined;
  /** Refuses what waits with `closed`; resolves when the group under way is answered. */
  close(): Promise<void>;
}

interface Waiting {
  readonly raw: Uint8Array;
  readonly resolve: (outcome: SubmitOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly answer: Promise<SubmitOutcome>;
}

/** What a gate stands between. */
export interface AdmissionOptions {
  readonly native: Pick<Native, "admit">;
  readonly take: TakeGroup;
  /** Keeps accepted transactions over a restart; their submitters are answered afterwards. */
  readonly keep: (raws: readonly Uint8Array[]) => Promise<void> | undefined;
}

/** A gate that has `native.admit` look at groups, `take` answer them and `keep` write them down. */
export function createAdmission(options: AdmissionOptions): Admission {
  let waiting: Waiting[] = [];
  let underway: Promise<void> | undefined;
  let scheduled = false;
  let closed = false;

  function schedule(): void {
    if (scheduled || underway !== undefined || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (waiting.length === 0) return;
      const group = waiting.slice(0, MAX_GROUP);
      waiting = waiting.slice(MAX_GROUP);
      underway = admitGroup(options, group).then(() => {
        underway = undefined;
        schedule();
      });
    });
  }

  return {
    submit(raw) {
      if (closed) return Promise.resolve({ ok: false, code: "closed" });
      if (waiting.length >= MAX_WAITING) return Promise.resolve({ ok: false, code: "pool-full" });
      const { promise, resolve, reject } = Promise.withResolvers<SubmitOutcome>();
      waiting.push({ raw, resolve, reject, answer: promise });
      schedule();
      return promise;
    },
    settled() {
      const last = waiting.at(-1);
      if (last === undefined) return underway;
      const ignore = () => undefined;
      return last.answer.then(ignore, ignore);
    },
    async close() {
      closed = true;
      const refused = waiting;
      waiting = [];
      for (const entry of refused) entry.resolve({ ok: false, code: "closed" });
      await underway;
    },
  };
}

async function admitGroup({ native, take, keep }: AdmissionOptions, group: readonly Waiting[]): Promise<void> {
  try {
    const found = await native.admit(group.map((entry) => entry.raw));
    const outcomes = take(zip(group, found));
    await keep(group.filter((_, index) => outcomes[index]?.ok).map((entry) => entry.raw));
    for (const [index, entry] of group.entries()) entry.resolve(outcomes[index] ?? { ok: false, code: "closed" });
  } catch (error) {
    for (const entry of group) entry.reject(error);
  }
}

function zip(group: readonly Waiting[], found: readonly AdmitOutcome[]) {
  return group.map(({ raw }, index) => {
    const outcome = found[index];
    if (outcome === undefined) throw new RangeError("the core answered fewer transactions than it was given");
    return { raw, found: outcome };
  });
}
