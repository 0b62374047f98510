/**
 * Owns what each kind of subscription is sent when a block is committed or a transaction becomes executable. Heads go
 * out in their order, also when blocks or receipts have to be read first; many subscribers are told in time slices.
 */
import type { Chain, HeadEvent, PendingEvent } from "@cairn/chain";
import type { Hash } from "@cairn/primitives";
import { type Payload, payload } from "./notification.ts";
import { pooledTransaction } from "./pooled-json.ts";
import { nullPowFields } from "./pow-fields.ts";
import type { SubscriptionKind } from "./subscription-kind.ts";
import { liveOfKind, ofKind, type Subscription, type SubscriptionSet } from "./subscription-set.ts";
import { createTimeSlices, type Steps } from "./time-slices.ts";

/** Sends a payload to a subscription that may have ended meanwhile. */
export type Send = (subscription: Subscription, payload: Payload) => void;

/** Heads waiting for reads or their turn before those who should be told of them are cut. */
const MOST_HEADS_WAITING = 64;
/** The same for transactions. */
const MOST_PENDING_WAITING = 20_000;
/** Logs looked at, or subscriptions told, between two looks at the clock. */
const MATCHES_PER_STEP = 512;
const SENDS_PER_STEP = 16;

type Reads = Pick<Chain["reads"], "blockJson" | "blockReceiptsJson" | "receiptJson">;

type Of<K extends SubscriptionKind["kind"]> = Subscription<Extract<SubscriptionKind, { readonly kind: K }>>;

/** Who is told of a block: taken when it is committed, so that later subscriptions begin with the next. */
interface Audience {
  readonly heads: readonly Of<"newHeads">[];
  readonly logs: readonly Of<"logs">[];
  readonly receipts: readonly Of<"transactionReceipts">[];
}

function audienceOf(set: SubscriptionSet): Audience {
  return {
    heads: ofKind(set, "newHeads"),
    logs: ofKind(set, "logs"),
    receipts: ofKind(set, "transactionReceipts"),
  };
}

/** What of a block has to be read: the rest is in the event. */
interface BlockTexts {
  readonly block: string | null;
  readonly receipts: string | null;
}

const NOTHING_READ: BlockTexts = { block: null, receipts: null };

const wantsBlock = ({ kind }: Of<"newHeads">): boolean => kind.includeTransactions;
const wantsAllReceipts = ({ kind }: Of<"transactionReceipts">): boolean => kind.hashes.size === 0;

async function readBlock(reads: Reads, { head, hashes }: HeadEvent, audience: Audience): Promise<BlockTexts> {
  const block = audience.heads.some(wantsBlock) ? await reads.blockJson(head.hash, true) : null;
  const isAsked = hashes.length > 0 && audience.receipts.some(wantsAllReceipts);
  return { block, receipts: isAsked ? await reads.blockReceiptsJson(head.hash) : null };
}

/** Ends a step after enough work of one kind. */
function pace(perStep: number): () => boolean {
  let done = 0;
  return () => ++done % perStep === 0;
}

function* publishHeads(audience: Audience, event: HeadEvent, { block }: BlockTexts, send: Send): Generator<void> {
  const isStep = pace(SENDS_PER_STEP);
  const made = new Map<string, Payload>();
  for (const subscription of audience.heads) {
    const { includeTransactions, nullPowFields: isNull } = subscription.kind;
    const variant = `${includeTransactions} ${isNull}`;
    let known = made.get(variant);
    if (known === undefined) {
      const json = includeTransactions && block !== null ? block : event.headerJson;
      known = payload(isNull ? nullPowFields(json) : json);
      made.set(variant, known);
    }
    send(subscription, known);
    if (isStep()) yield;
  }
}

function* publishLogs(audience: Audience, event: HeadEvent, send: Send): Generator<void> {
  if (audience.logs.length === 0) return;
  const [isMatchStep, isSendStep] = [pace(MATCHES_PER_STEP), pace(SENDS_PER_STEP)];
  for (const log of event.logs()) {
    let known: Payload | undefined;
    for (const subscription of audience.logs) {
      if (isMatchStep()) yield;
      if (!subscription.kind.matches(log)) continue;
      known ??= payload(log.json);
      send(subscription, known);
      if (isSendStep()) yield;
    }
  }
}

function* publishReceipts(o: {
  readonly audience: Audience;
  readonly event: HeadEvent;
  readonly all: string | null;
  readonly reads: Reads;
  readonly send: Send;
}): Generator<void> {
  const { audience, event, reads, send } = o;
  const isStep = pace(SENDS_PER_STEP);
  const all = o.all === null ? undefined : payload(o.all);
  const texts = new Map<Hash, string>();
  const textOf = (hash: Hash): string => {
    const text = texts.get(hash) ?? reads.receiptJson(hash) ?? "null";
    texts.set(hash, text);
    return text;
  };
  for (const subscription of audience.receipts) {
    if (isStep()) yield;
    const { hashes } = subscription.kind;
    if (hashes.size === 0) {
      if (all !== undefined) send(subscription, all);
      continue;
    }
    const wanted = event.hashes.filter((hash) => hashes.has(hash));
    if (wanted.length > 0) send(subscription, payload(`[${wanted.map(textOf).join(",")}]`));
  }
}

/** Tells the subscriptions of a set about committed blocks. */
export function headPublisher(reads: Reads, set: SubscriptionSet, send: Send): (event: HeadEvent) => void {
  const slices = createTimeSlices(MOST_HEADS_WAITING);
  function* publish(event: HeadEvent, audience: Audience, read: BlockTexts): Generator<void> {
    yield* publishHeads(audience, event, read, send);
    yield* publishLogs(audience, event, send);
    yield* publishReceipts({ audience, event, all: read.receipts, reads, send });
  }
  return (event) => {
    const audience = audienceOf(set);
    const isReading = audience.heads.some(wantsBlock) || audience.receipts.some(wantsAllReceipts);
    const begin = (): Steps | Promise<Steps> =>
      isReading
        ? readBlock(reads, event, audience).then((read) => publish(event, audience, read))
        : publish(event, audience, NOTHING_READ);
    if (!slices.add(begin)) cutBehind([...audience.heads, ...audience.logs, ...audience.receipts]);
  };
}

/** No connection misses an event in silence: when the node falls too far behind, it is told by its end. */
function cutBehind(subscriptions: readonly Subscription[]): void {
  for (const { sink } of subscriptions) sink.cut("the node cannot keep up with its subscriptions");
}

/** Tells the subscriptions of a set about transactions that became executable. */
export function pendingPublisher(set: SubscriptionSet, send: Send): (event: PendingEvent) => void {
  const slices = createTimeSlices(MOST_PENDING_WAITING);
  function* publish(event: PendingEvent): Generator<void> {
    const isStep = pace(SENDS_PER_STEP);
    const hash = payload(`"${event.hash}"`);
    let full: Payload | undefined;
    // The live set, no copy: very many transactions may wait for their turn.
    for (const subscription of liveOfKind(set, "newPendingTransactions")) {
      if (subscription.kind.full) full ??= payload(JSON.stringify(pooledTransaction(event.tx)));
      send(subscription, subscription.kind.full && full !== undefined ? full : hash);
      if (isStep()) yield;
    }
  }
  return (event) => {
    if ((set.byKind.get("newPendingTransactions")?.size ?? 0) === 0) return;
    if (!slices.add(() => publish(event))) cutBehind(ofKind(set, "newPendingTransactions"));
  };
}
