/**
 * Sends what is due, endpoint by endpoint: a few at once to each, and a bounded number in all, of which endpoints that
 * fail have a share of their own, so that one that never answers takes nobody's place. Owns the pace; what an attempt
 * makes of delivery and endpoint is decided in `endpoint-life.ts` and written by `outcome-recorder.ts`.
 */
import type { Log } from "@cairn/aggregator";
import type { AttemptOutcome, SendAttempt } from "./attempt.ts";
import { type Delivery, type DeliveryStore, deliveryId } from "./delivery-store.ts";
import { type DeliveryPolicy, pauseMs } from "./endpoint-life.ts";
import type { RecordOutcome } from "./outcome-recorder.ts";
import { signedHeaders } from "./signature.ts";
import type { Webhook, WebhookStore } from "./webhook-store.ts";

/** What the sender is made of. */
export interface SenderOptions {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly send: SendAttempt;
  readonly record: RecordOutcome;
  readonly policy: DeliveryPolicy;
  readonly clock: () => number;
  readonly log: Log;
}

/** The sender. */
export interface Sender {
  /** Something may be due at this webhook. */
  wake(webhook: string): void;
  /** Attempts under way. */
  running(): number;
  /** Cuts the attempts under way, which count as not made, and ends. */
  close(): Promise<void>;
}

const PER_ENDPOINT = 4;
const PER_FAILING_ENDPOINT = 1;
const HEALTHY_IN_ALL = 48;
const FAILING_IN_ALL = 16;
const QUEUED = 50;
const MAX_TIMER_MS = 60_000;
const STORE_PAUSE_MS = 5_000;

/** What is known of an endpoint while something waits for it. */
interface Lane {
  readonly webhook: string;
  readonly inFlight: Set<number>;
  queue: Delivery[];
  /** In a row. */
  failures: number;
  /** An endpoint that fails is left alone until then. */
  pausedUntilMs: number;
  /** Nothing is due before, unless something new comes. */
  idleUntilMs: number;
}

const restsUntilMs = (lane: Lane): number => Math.max(lane.pausedUntilMs, lane.idleUntilMs);

/** Makes the sender; it does nothing before it is woken. */
export function createSender(o: SenderOptions): Sender {
  const lanes = new Map<string, Lane>();
  const attempts = new Set<Promise<void>>();
  const stopping = new AbortController();
  const inUse = { healthy: 0, failing: 0 };
  let timer: NodeJS.Timeout | undefined;

  const hasPlace = (lane: Lane): boolean =>
    lane.failures === 0
      ? lane.inFlight.size < PER_ENDPOINT && inUse.healthy < HEALTHY_IN_ALL
      : lane.inFlight.size < PER_FAILING_ENDPOINT && inUse.failing < FAILING_IN_ALL;

  const start = (lane: Lane, webhook: Webhook, delivery: Delivery): void => {
    const share = lane.failures === 0 ? "healthy" : "failing";
    inUse[share] += 1;
    lane.inFlight.add(delivery.event);
    const attempt = attemptOnce(o, webhook, delivery, stopping.signal)
      .then((failed) => settle(o, lane, failed))
      .catch((error: unknown) => {
        lane.pausedUntilMs = o.clock() + STORE_PAUSE_MS;
        o.log.warn({ webhook: webhook.id, error: String(error) }, "a delivery's outcome could not be kept");
      })
      .finally(() => {
        inUse[share] -= 1;
        lane.inFlight.delete(delivery.event);
        attempts.delete(attempt);
        pump();
      });
    attempts.add(attempt);
  };
  const serve = (lane: Lane): void => {
    while (!stopping.signal.aborted && o.clock() >= restsUntilMs(lane) && hasPlace(lane)) {
      const delivery = lane.queue.shift() ?? refill(o, lane);
      const webhook = delivery === undefined ? undefined : o.webhooks.find(lane.webhook);
      if (delivery === undefined) return;
      if (webhook?.state === "enabled") start(lane, webhook, delivery);
      else rest(lane, Number.POSITIVE_INFINITY);
    }
  };
  const pump = (): void => {
    if (stopping.signal.aborted) return;
    clearTimeout(timer);
    // Taken before anybody is served: whoever rests then, even for a millisecond, gets a timer.
    const nowMs = o.clock();
    // The first to be served now is the last next time.
    const [first] = lanes.values();
    if (first !== undefined) {
      lanes.delete(first.webhook);
      lanes.set(first.webhook, first);
    }
    for (const lane of [...lanes.values()]) {
      attend(o, lane, serve);
      if (lane.inFlight.size === 0 && lane.idleUntilMs === Number.POSITIVE_INFINITY) lanes.delete(lane.webhook);
    }
    const resting = [...lanes.values()].map(restsUntilMs).filter((at) => at > nowMs);
    const waitMs = Math.max(10, Math.min(MAX_TIMER_MS, ...resting.map((at) => at - nowMs)));
    if (resting.length > 0) timer = setTimeout(pump, waitMs);
  };
  return {
    wake: (webhook) => {
      const lane = lanes.get(webhook) ?? newLane(o, webhook);
      lanes.set(webhook, lane);
      lane.idleUntilMs = 0;
      pump();
    },
    running: () => attempts.size,
    close: async () => {
      stopping.abort();
      clearTimeout(timer);
      await Promise.all(attempts);
    },
  };
}

/** A store that cannot be read now is read again later. */
function attend(o: SenderOptions, lane: Lane, serve: (lane: Lane) => void): void {
  try {
    serve(lane);
  } catch (error) {
    lane.pausedUntilMs = o.clock() + STORE_PAUSE_MS;
    o.log.warn({ webhook: lane.webhook, error: String(error) }, "deliveries could not be read");
  }
}

/** The next delivery that is due; without one, the lane rests until there is. */
function refill(o: SenderOptions, lane: Lane): Delivery | undefined {
  const nowMs = o.clock();
  const due = o.deliveries.due(lane.webhook, nowMs, QUEUED + lane.inFlight.size);
  lane.queue = due.filter((delivery) => !lane.inFlight.has(delivery.event));
  const first = lane.queue.shift();
  if (first === undefined && lane.inFlight.size === 0) {
    rest(lane, o.deliveries.nextDueAtMs(lane.webhook) ?? Number.POSITIVE_INFINITY);
  }
  return first;
}

function rest(lane: Lane, untilMs: number): void {
  lane.queue = [];
  lane.idleUntilMs = untilMs;
}

/** An endpoint that failed before the service started, or before its lane was forgotten, is still one that fails. */
function newLane(o: SenderOptions, webhook: string): Lane {
  const failures = o.webhooks.find(webhook)?.failingSinceMs === undefined ? 0 : 1;
  return { webhook, inFlight: new Set(), queue: [], failures, pausedUntilMs: 0, idleUntilMs: 0 };
}

/** Sends and keeps the outcome; answers whether it failed, undefined when the service is ending. */
async function attemptOnce(
  o: SenderOptions,
  webhook: Webhook,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<AttemptOutcome | undefined> {
  const message = { id: deliveryId(delivery), body: delivery.body };
  const nowMs = o.clock();
  const previous = webhook.previous !== undefined && webhook.previous.untilMs > nowMs ? [webhook.previous.secret] : [];
  const headers = signedHeaders([webhook.secret, ...previous], message, nowMs);
  const outcome = await o.send({ url: webhook.url, headers, body: message.body }, signal);
  if (signal.aborted && outcome.kind !== "delivered") return undefined;
  await o.record(delivery, outcome);
  return outcome;
}

function settle(o: SenderOptions, lane: Lane, outcome: AttemptOutcome | undefined): void {
  if (outcome === undefined) return;
  lane.idleUntilMs = 0;
  if (outcome.kind === "delivered") {
    lane.failures = 0;
    lane.pausedUntilMs = 0;
    return;
  }
  lane.failures += 1;
  // What was looked up before may have been given up or put off.
  lane.queue = [];
  lane.pausedUntilMs = o.clock() + pauseMs(o.policy, lane.failures);
}
