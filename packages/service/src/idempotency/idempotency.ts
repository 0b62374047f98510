/**
 * Repeats of a request with the same `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header):
 *
 *   key unknown                     → new: the request is served, its success is kept durably before it is sent
 *   key kept, same request          → replay of the kept answer
 *   key kept, another request       → mismatch
 *   key of a request being served   → in progress, or mismatch
 *
 * Refusals are not kept: the same key may be tried again. After a crash between the change and the
 * record the request is served anew, and what it changed before is found by the request's name: submissions and
 * verification keys are marked with it in the transaction that stores them, webhooks, secrets and access requests follow
 * from it.
 */
import type { GroupCommit } from "../delivery/group-commit.ts";
import type { AnswerStore, StoredAnswer } from "./answer-store.ts";

/** What a key means for a request. */
export type Claim =
  | { readonly kind: "new"; readonly pending: PendingRequest }
  | { readonly kind: "replay"; readonly answer: StoredAnswer }
  | { readonly kind: "mismatch" }
  | { readonly kind: "in-progress" };

/** A request being served under a key. One of the two ends it. */
export interface PendingRequest {
  /** Keeps the answer; resolves once that is durable. */
  finish(answer: StoredAnswer): Promise<void>;
  abandon(): void;
}

/** The keys of all accounts. */
export interface Idempotency {
  claim(o: { readonly account: string; readonly key: string; readonly fingerprint: Uint8Array }): Claim;
  close(): void;
}

const PRUNE_INTERVAL_MS = 600_000;

/** Makes the keys over their store; what is too old is removed from time to time until `close`. */
export function createIdempotency(o: {
  readonly store: AnswerStore;
  readonly commits: GroupCommit;
  readonly clock: () => number;
  /** Sees a removal that failed; it is tried again. */
  readonly onFailure: (error: unknown) => void;
}): Idempotency {
  const pending = new Map<string, Uint8Array>();
  const prune = (): void => {
    try {
      o.store.prune(o.clock());
    } catch (error) {
      o.onFailure(error);
    }
  };
  prune();
  const timer = setInterval(prune, PRUNE_INTERVAL_MS).unref();
  return {
    claim: ({ account, key, fingerprint }) => {
      const name = JSON.stringify([account, key]);
      const served = pending.get(name);
      if (served !== undefined) return { kind: isSame(served, fingerprint) ? "in-progress" : "mismatch" };
      const kept = o.store.find(account, key, o.clock());
      if (kept !== undefined) {
        return isSame(kept.fingerprint, fingerprint) ? { kind: "replay", answer: kept.answer } : { kind: "mismatch" };
      }
      pending.set(name, fingerprint);
      const finish = async (answer: StoredAnswer): Promise<void> => {
        try {
          await o.commits.run(() => o.store.put(account, key, { fingerprint, answer }, o.clock()));
        } catch (error) {
          o.store.recount();
          throw error;
        } finally {
          pending.delete(name);
        }
      };
      return { kind: "new", pending: { finish, abandon: () => void pending.delete(name) } };
    },
    close: () => clearInterval(timer),
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;
const BARE = /^[\x21\x23-\x7e]{1,255}$/;

/** The key of a header: a structured-field string, or a bare word; undefined when it is neither. */
export function parseIdempotencyKey(header: string): string | undefined {
  const text = header.trim();
  const quoted = QUOTED.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, "$1");
  return BARE.test(text) ? text : undefined;
}
