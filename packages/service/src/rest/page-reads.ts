/**
 * What the resources of a page need of the store, read with as few questions as the page has different answers: a page
 * costs its account's neighbours little.
 */
import type { Aggregator, Submission } from "@cairn/aggregator";

type Store = Aggregator["store"];

/** Readings behind the resource of a submission. */
export type SubmissionReads = Pick<Store, "history" | "batch" | "anchor">;

/** Readings for these submissions; each batch and anchor is read once. */
export async function pageReads(store: Store, page: readonly Submission[]): Promise<SubmissionReads> {
  const found = await store.histories(page.map(({ seq }) => seq));
  const histories = new Map(page.map(({ seq }, index) => [seq, found[index] ?? []]));
  return {
    history: async (seq) => histories.get(seq) ?? store.history(seq),
    batch: once(store.batch),
    anchor: once(store.anchor),
  };
}

/** A reading that asks once for each key. */
export function once<T>(read: (key: number) => Promise<T>): (key: number) => Promise<T> {
  const asked = new Map<number, Promise<T>>();
  return (key) => {
    const answer = asked.get(key) ?? read(key);
    asked.set(key, answer);
    return answer;
  };
}
