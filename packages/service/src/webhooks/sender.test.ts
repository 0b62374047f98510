import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf } from "../testing/hash.ts";
import type { Delivery, DeliveryStore } from "./delivery-store.ts";
import { DELIVERY_POLICY } from "./endpoint-life.ts";
import { createSender } from "./sender.ts";
import type { Webhook, WebhookStore } from "./webhook-store.ts";

const webhook = { id: "wh_1", url: "http://x/", state: "enabled", secret: new Uint8Array(32) } as unknown as Webhook;
const delivery = {
  ...{ webhook: "wh_1", event: 1, type: "submission.received", submission: hashOf("s"), body: "{}" },
  ...{ state: "pending", attempts: 0, nextAtMs: 0, createdAtMs: 0 },
} as unknown as Delivery;

test("an endpoint whose rest ends while the others are looked at is not forgotten", { timeout: 20_000 }, async () => {
  const never = () => {};
  // A clock that moves on at every look: the rest is over between any two looks at it.
  let nowMs = 1_000_000;
  const attempts = Promise.withResolvers<void>();
  let sent = 0;
  const sender = createSender({
    webhooks: { find: () => webhook } as unknown as WebhookStore,
    deliveries: { due: () => [delivery], nextDueAtMs: () => 0 } as unknown as DeliveryStore,
    send: async () => {
      sent += 1;
      if (sent === 20) attempts.resolve();
      return { kind: "failed", error: "connection" };
    },
    record: async () => {},
    policy: { ...DELIVERY_POLICY, maxPauseMs: 2 },
    clock: () => {
      nowMs += 1;
      return nowMs;
    },
    log: { debug: never, info: never, warn: never, error: never },
  });
  sender.wake("wh_1");
  await attempts.promise;
  await sender.close();
  assert.ok(sent >= 20);
});
