/** What an operator does with dead letters: look at them, and replay them once their cause is mended. */
import { isHex } from "@cairn/primitives";
import { EntryStopped } from "../block-source.ts";
import type { ReaderConfig } from "../config/config.ts";
import { EndpointError } from "../endpoint-error.ts";
import { itemValue } from "../items.ts";
import type { Log } from "../log.ts";
import type { DeadLetter } from "../state/dead-letters.ts";
import { openStateStore, type StateStore } from "../state/state-store.ts";
import { createDelivery, SubmissionDelayed } from "../worker/delivery.ts";
import { establishIdentity } from "../worker/identity-check.ts";
import { endpointsOf, type OpenAdapter, openReading, readHeight } from "../worker/reading.ts";
import { createHttpSubmissions } from "../worker/submission.ts";
import { findEntry } from "./find-entry.ts";
import { OperationError } from "./operation-error.ts";

/** What came of submitting a dead letter again. */
export type ReplayOutcome =
  | { readonly ok: true; readonly submissionId: string | undefined }
  | { readonly ok: false; readonly reason: string };

/** Which dead letters. */
export interface LetterFilter {
  /** An entry's key, or its name. */
  readonly chain?: string;
  /** Replayed and discarded ones too. */
  readonly all: boolean;
}

/** The dead letters of a state directory. */
export interface Audit {
  /** Letters in the order of their ids, page by page. */
  letters(filter: LetterFilter): Generator<DeadLetter>;
  /** Submits a letter's item again: the refused body as it was, or what is read anew. Throws `unknown-letter`. */
  replay(id: number, signal: AbortSignal): Promise<ReplayOutcome>;
  /** Ends a letter without submitting it. Throws `unknown-letter`. */
  discard(id: number): void;
  close(): void;
}

/** Where they are, and what replaying them needs. */
export interface AuditOptions {
  readonly stateDir: string;
  /** Needed to replay. */
  readonly config: () => ReaderConfig;
  readonly openAdapter: OpenAdapter;
  readonly log: Log;
}

const PAGE = 500;

/** Opens the dead letters of a state directory; a reader may be running on it. */
export function openAudit(options: AuditOptions): Audit {
  const store = openStateStore(options.stateDir);
  return {
    *letters(filter) {
      for (let after = 0; ; ) {
        const page = store.letters.list({ ...filter, after, limit: PAGE });
        yield* page;
        if (page.length < PAGE) return;
        after = page.at(-1)?.id ?? after;
      }
    },
    async replay(id, signal) {
      const letter = letterOf(store, id);
      try {
        const outcome = await replay(letter, store, options, signal);
        if (outcome.ok) store.letters.replayed(id, Date.now(), outcome.submissionId);
        return outcome;
      } catch (error) {
        signal.throwIfAborted();
        if (!isExpected(error)) throw error;
        return { ok: false, reason: error.message };
      }
    },
    discard: (id) => store.letters.discard(letterOf(store, id).id, Date.now()),
    close: () => store.close(),
  };
}

function letterOf(store: StateStore, id: number): DeadLetter {
  const letter = store.letters.get(id);
  if (letter === undefined) throw new OperationError("unknown-letter", `no dead letter ${id}`);
  return letter;
}

/** What was replayed counts as sent: it is not submitted again, and a block that replaces it names it. */
function remembered(letter: DeadLetter, body: string, submissionId: string, store: StateStore): ReplayOutcome {
  const { chain, height, logIndex, hash } = letter;
  const { proof_data } = JSON.parse(body) as { readonly proof_data: string };
  if (isHex(hash)) store.ring.addSent(chain, { height, logIndex, hash, value: itemValue(proof_data), submissionId });
  return { ok: true, submissionId };
}

/** What may happen to any replay: endpoint or service are away, or the endpoint serves another chain. */
function isExpected(error: unknown): error is Error {
  return error instanceof EndpointError || error instanceof SubmissionDelayed || error instanceof EntryStopped;
}

async function replay(
  letter: DeadLetter,
  store: StateStore,
  { config: load, openAdapter, log }: AuditOptions,
  signal: AbortSignal,
): Promise<ReplayOutcome> {
  const config = load();
  const submissions = createHttpSubmissions({ url: config.serviceUrl, token: config.serviceToken });
  if (letter.body !== undefined) {
    const answer = await submissions.submit(letter.body, signal);
    if (answer.ok) return remembered(letter, letter.body, answer.id, store);
    return { ok: false, reason: answer.detail === "" ? answer.code : `${answer.code} (${answer.detail})` };
  }
  const entry = findEntry(config.entries, letter.chain);
  const reading = await openReading(entry, endpointsOf(entry), openAdapter);
  await establishIdentity(reading, store, signal);
  const delivery = createDelivery({ entry, store, submissions, log, now: Date.now });
  let submissionId: string | undefined;
  for (const found of (await readHeight(reading, letter.height, signal)) ?? []) {
    const delivered = await delivery.deliver(found, signal);
    if (delivered.outcome === "dead") return { ok: false, reason: delivered.code };
    submissionId = delivered.submissionId;
  }
  return { ok: true, submissionId };
}
