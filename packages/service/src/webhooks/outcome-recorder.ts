/** Writing what an attempt made of a delivery and its endpoint, in one transaction. */
import type { Log } from "@cairn/aggregator";
import type { GroupCommit } from "../delivery/group-commit.ts";
import type { AttemptOutcome } from "./attempt.ts";
import type { Delivery, DeliveryStore } from "./delivery-store.ts";
import { type DeliveryPolicy, endpointStep, retryDelayMs } from "./endpoint-life.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** Resolves once the outcome is durable. */
export type RecordOutcome = (delivery: Delivery, outcome: AttemptOutcome) => Promise<void>;

/** Attempts by outcome. */
export type AttemptCounts = Readonly<Record<AttemptOutcome["kind"], number>>;

/** Makes the recorder, which counts what it has kept. `random` in [0, 1). */
export function createOutcomeRecorder(o: {
  readonly commits: GroupCommit;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly policy: DeliveryPolicy;
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: Log;
}): { readonly record: RecordOutcome; readonly counts: () => AttemptCounts } {
  const write = (delivery: Delivery, outcome: AttemptOutcome): void => {
    const webhook = o.webhooks.find(delivery.webhook);
    if (webhook === undefined) return;
    const nowMs = o.clock();
    const step = endpointStep(o.policy, webhook.failingSinceMs, outcome.kind, nowMs);
    if (outcome.kind === "delivered") o.deliveries.delivered(delivery, outcome.status, nowMs);
    else {
      const delay = retryDelayMs(o.policy, delivery.attempts + 1, o.random(), outcome.retryAfterMs);
      o.deliveries.failed(delivery, outcome, delay === undefined ? undefined : nowMs + delay, nowMs);
    }
    if (webhook.state === "disabled") return;
    const wasFailing = webhook.failingSinceMs !== undefined;
    if (step.state === "disabled" || wasFailing !== (step.failingSinceMs !== undefined)) {
      o.webhooks.setEndpoint(webhook.id, step);
    }
    // An endpoint that is back need not wait for the hours its deliveries were put off.
    if (outcome.kind === "delivered" && wasFailing) o.deliveries.hurry(webhook.id, nowMs);
    if (step.state === "disabled") {
      o.deliveries.giveUp(webhook.id, "endpoint-disabled", nowMs);
      o.log.warn({ webhook: webhook.id, account: webhook.account, reason: step.reason }, "webhook disabled");
    }
  };
  const counts: Record<AttemptOutcome["kind"], number> = { delivered: 0, failed: 0, gone: 0 };
  const record: RecordOutcome = async (delivery, outcome) => {
    await o.commits.run(() => write(delivery, outcome));
    counts[outcome.kind] += 1;
  };
  return { record, counts: () => ({ ...counts }) };
}
