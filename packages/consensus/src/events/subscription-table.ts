/**
 * Subscriptions arranged so that an event finds those it may concern without asking all: by the value their query wants
 * of `tm.event`, and below that by one more wanted text.
 */
import type { Published } from "./published.ts";
import type { Condition, Query } from "./query.ts";
import { queryMatches } from "./query-match.ts";

/** Anything with a query. */
interface Queried {
  readonly query: Query;
}

interface Bucket<S> {
  /** By tag, then by wanted text. */
  readonly exact: Map<string, Map<string, Set<S>>>;
  readonly others: Set<S>;
}

/** Arranged subscriptions. */
export interface SubscriptionTable<S> {
  add(subscription: S): void;
  remove(subscription: S): void;
  /** Those whose query the event meets. */
  concerned(event: Published): readonly S[];
}

const ANY_KIND = "";

function wantsText({ operator, argument }: Condition): boolean {
  return operator === "=" && argument?.kind === "string";
}

function placeOf({ conditions }: Query): { kind: string; tag?: string; text: string } {
  const kind = conditions.find((condition) => condition.tag === "tm.event" && wantsText(condition));
  const exact = conditions.find(
    (condition) => condition.tag.includes(".") && condition !== kind && wantsText(condition),
  );
  return {
    kind: kind?.argument?.text ?? ANY_KIND,
    ...(exact === undefined ? {} : { tag: exact.tag }),
    text: exact?.argument?.text ?? "",
  };
}

function emptyBucket<S>(): Bucket<S> {
  return { exact: new Map(), others: new Set() };
}

function candidates<S>(bucket: Bucket<S> | undefined, event: Published, found: S[]): void {
  if (bucket === undefined) return;
  for (const [tag, byText] of bucket.exact) {
    for (const value of new Set(event.tags().get(tag) ?? [])) found.push(...(byText.get(value) ?? []));
  }
  found.push(...bucket.others);
}

function removeExact<S>(bucket: Bucket<S>, tag: string, text: string, subscription: S): void {
  const byText = bucket.exact.get(tag);
  const found = byText?.get(text);
  found?.delete(subscription);
  if (found?.size === 0) byText?.delete(text);
  if (byText?.size === 0) bucket.exact.delete(tag);
}

/** An empty table. */
export function createSubscriptionTable<S extends Queried>(): SubscriptionTable<S> {
  const buckets = new Map<string, Bucket<S>>();
  return {
    add: (subscription) => {
      const { kind, tag, text } = placeOf(subscription.query);
      const bucket = buckets.get(kind) ?? emptyBucket<S>();
      buckets.set(kind, bucket);
      if (tag === undefined) {
        bucket.others.add(subscription);
        return;
      }
      const byText = bucket.exact.get(tag) ?? new Map<string, Set<S>>();
      bucket.exact.set(tag, byText);
      byText.set(text, (byText.get(text) ?? new Set<S>()).add(subscription));
    },
    remove: (subscription) => {
      const { kind, tag, text } = placeOf(subscription.query);
      const bucket = buckets.get(kind);
      if (bucket === undefined) return;
      if (tag === undefined) bucket.others.delete(subscription);
      else removeExact(bucket, tag, text, subscription);
      if (bucket.others.size === 0 && bucket.exact.size === 0) buckets.delete(kind);
    },
    concerned: (event) => {
      const found: S[] = [];
      candidates(buckets.get(event.kind), event, found);
      candidates(buckets.get(ANY_KIND), event, found);
      return found.filter(({ query }) => queryMatches(query, event.tags()));
    },
  };
}
