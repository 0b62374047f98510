/**
 * From a found item to an acknowledged submission or a dead letter. Owns what counts as delivered; not where the cursor
 * stands.
 */
import { EntryStopped } from "../block-source.ts";
import type { Entry } from "../config/entry.ts";
import type { Found, Item } from "../items.ts";
import type { Log } from "../log.ts";
import { MAX_OPEN_LETTERS } from "../state/dead-letters.ts";
import type { StateStore } from "../state/state-store.ts";
import { type SubmissionPort, submissionBody } from "./submission.ts";

/** The service did not take a submission now. */
export class SubmissionDelayed extends Error {
  /** How long it asks to be left alone, in ms; 0 when it does not say. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.name = "SubmissionDelayed";
    this.retryAfterMs = retryAfterMs;
  }
}

/** What came of an item. */
export type Delivered =
  | { readonly outcome: "submitted"; readonly submissionId: string; readonly again: boolean }
  | { readonly outcome: "dead"; readonly code: string };

/** Hands what was found to the service, or to the dead letters. */
export interface Delivery {
  /** Submits, or puts among the dead letters. Throws SubmissionDelayed when it has to be tried again. */
  deliver(found: Found, signal: AbortSignal): Promise<Delivered>;
  /** Puts a height that cannot be read among the dead letters. */
  bury(height: bigint, detail: string): void;
}

/** What delivering for an entry needs. */
export interface DeliveryOptions {
  readonly entry: Entry;
  readonly store: StateStore;
  readonly submissions: SubmissionPort;
  readonly log: Log;
  readonly now: () => number;
}

function said(detail: string): string {
  return detail === "" ? "" : ` (${detail})`;
}

/** Delivery for one entry. */
export function createDelivery({ entry, store, submissions, log, now }: DeliveryOptions): Delivery {
  function addLetter(
    place: Pick<Item, "height" | "logIndex"> & { readonly hash: string },
    letter: { readonly code: string; readonly detail: string; readonly body: string | undefined },
  ): Delivered {
    const { height, logIndex, hash } = place;
    if (store.letters.open(entry.key) >= MAX_OPEN_LETTERS) {
      throw new EntryStopped(
        `${MAX_OPEN_LETTERS} dead letters wait: cairn reader audit shows, replays and discards them`,
      );
    }
    store.letters.add({ chain: entry.key, height, logIndex, hash, atMs: now(), ...letter });
    const at = { chain: entry.name, kind: entry.kind, height: `${height}`, code: letter.code, detail: letter.detail };
    log.error(at, "dead letter: see cairn reader audit");
    return { outcome: "dead", code: letter.code };
  }

  return {
    async deliver(found, signal) {
      if (found.kind === "undecodable") {
        return addLetter(found, { code: "undecodable", detail: found.detail, body: undefined });
      }
      const known = store.ring.sent(entry.key, found);
      if (known !== undefined) {
        // A fork that came back replaces nothing and is replaced no longer.
        store.ring.addSent(entry.key, known);
        return { outcome: "submitted", submissionId: known.submissionId, again: true };
      }
      const reorgOf = store.ring.replaced(entry.key, found)?.submissionId;
      const body = submissionBody(entry, found, reorgOf);
      const answer = await submissions.submit(body, signal);
      if (answer.ok) {
        const { height, logIndex, hash, value } = found;
        store.ring.addSent(entry.key, { height, logIndex, hash, value, submissionId: answer.id });
        return { outcome: "submitted", submissionId: answer.id, again: false };
      }
      if (answer.retry) {
        const text = `the service did not take block ${found.height}: ${answer.code}${said(answer.detail)}`;
        throw new SubmissionDelayed(text, answer.retryAfterMs);
      }
      return addLetter(found, { code: answer.code, detail: `refused by the service${said(answer.detail)}`, body });
    },
    bury(height, detail) {
      addLetter({ height, logIndex: -1, hash: "" }, { code: "undecodable", detail, body: undefined });
    },
  };
}
