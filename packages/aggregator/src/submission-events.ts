/**
 * What happened to submissions, in the order it became durable: what follows the service from outside (event streams,
 * webhooks) follows these by their number. Written by the changes themselves; nothing here changes them.
 */
import type { Hash } from "@cairn/primitives";
import type { SubmissionState } from "./submission-life.ts";

/** A state that a submission reached, with what names the submission to its owner. */
export interface SubmissionEventRecord {
  /** Grows with every change of any submission. */
  readonly seq: number;
  readonly state: SubmissionState;
  readonly atMs: number;
  readonly submission: {
    readonly seq: number;
    readonly id: Hash;
    readonly account: string;
    readonly chainId: string;
    readonly chainKey: string;
    readonly blockNumber: string | undefined;
    readonly externalId: string | undefined;
    /** Only while it is rejected. */
    readonly error: { readonly code: string; readonly detail: string } | undefined;
    readonly duplicateOf: Hash | undefined;
  };
}

/** A part of the events. */
export interface EventPage {
  readonly events: readonly SubmissionEventRecord[];
  /** Everything up to this number was looked at: where the next page starts. */
  readonly to: number;
}

/** Reading of events. */
export interface EventStore {
  /** Events after a number, oldest first; of one account where said. Looks at a bounded number of them. */
  events(o: { readonly after: number; readonly limit: number; readonly account?: string }): Promise<EventPage>;
  /** Number of the newest event; 0: none. */
  lastEvent(): Promise<number>;
}
