/**
 * Owns what each kind of subscription is sent when a block is committed or a transaction becomes executable. Heads go
 * out in their order, also when blocks or receipts have to be read first.
 */
import type { Chain, HeadEvent, PendingEvent } from "@cairn/chain";
import type { Hash } from "@cairn/primitives";
import { type Payload, payload } from "./notification.ts";
import { pooledTransaction } from "./pooled-json.ts";
import { nullPowFields } from "./pow-fields.ts";
import type { SubscriptionKind } from "./subscription-kind.ts";
import { ofKind, type Subscription, type SubscriptionSet } from "./subscription-set.ts";

/** Sends a payload to a subscription that may have ended meanwhile. */
export type Send = (subscription: Subscription, payload: Payload) => void;

/** Heads waiting for reads before those who want more than the header are cut. */
const MOST_WAITING = 64;

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

function publishHeads(audience: Audience, event: HeadEvent, { block }: BlockTexts, send: Send): void {
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
  }
}

function publishLogs(audience: Audience, event: HeadEvent, send: Send): void {
  if (audience.logs.length === 0) return;
  for (const log of event.logs()) {
    let known: Payload | undefined;
    for (const subscription of audience.logs) {
      if (!subscription.kind.matches(log)) continue;
      known ??= payload(log.json);
      send(subscription, known);
    }
  }
}

function publishReceipts(o: {
  readonly audience: Audience;
  readonly event: HeadEvent;
  readonly all: string | null;
  readonly reads: Reads;
  readonly send: Send;
}): void {
  const { audience, event, reads, send } = o;
  const all = o.all === null ? undefined : payload(o.all);
  const texts = new Map<Hash, string>();
  const textOf = (hash: Hash): string => {
    const text = texts.get(hash) ?? reads.receiptJson(hash) ?? "null";
    texts.set(hash, text);
    return text;
  };
  for (const subscription of audience.receipts) {
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
  let previous: Promise<void> = Promise.resolve();
  let waiting = 0;
  const publish = (event: HeadEvent, audience: Audience, read: BlockTexts): void => {
    publishHeads(audience, event, read, send);
    publishLogs(audience, event, send);
    publishReceipts({ audience, event, all: read.receipts, reads, send });
  };
  return (event) => {
    const audience = audienceOf(set);
    const isReading = audience.heads.some(wantsBlock) || audience.receipts.some(wantsAllReceipts);
    if (waiting === 0 && !isReading) {
      publish(event, audience, NOTHING_READ);
      return;
    }
    if (waiting >= MOST_WAITING) {
      cutReaders(audience);
      return;
    }
    waiting++;
    previous = previous
      .then(() => readBlock(reads, event, audience))
      .then((read) => publish(event, audience, read))
      // The database closing under a read ends the feed with it.
      .catch(() => undefined)
      .finally(() => waiting--);
  };
}

/** No connection misses a head in silence: when reads fall too far behind, it is told by its end. */
function cutReaders({ heads, logs, receipts }: Audience): void {
  for (const { sink } of [...heads, ...logs, ...receipts]) sink.cut("the node cannot keep up with its subscriptions");
}

/** Tells the subscriptions of a set about a transaction that became executable. */
export function publishPending(set: SubscriptionSet, event: PendingEvent, send: Send): void {
  const hash = payload(`"${event.hash}"`);
  let full: Payload | undefined;
  for (const subscription of ofKind(set, "newPendingTransactions")) {
    if (subscription.kind.full) full ??= payload(JSON.stringify(pooledTransaction(event.tx)));
    send(subscription, subscription.kind.full && full !== undefined ? full : hash);
  }
}
