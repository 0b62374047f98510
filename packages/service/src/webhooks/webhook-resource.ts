/** Webhooks and deliveries as REST resources. A secret is in it only when it is handed in. */
import type { DeliveryResource, WebhookResource } from "@cairn/api";
import { type Delivery, type DeliveryStore, deliveryId } from "./delivery-store.ts";
import { secretText } from "./signature.ts";
import type { Webhook } from "./webhook-store.ts";

const time = (ms: number): string => new Date(ms).toISOString();

/** A webhook; `secret` only in the answer that shows it. */
export function webhookResource(
  deliveries: DeliveryStore,
  w: Webhook,
  o: { readonly nowMs: number; readonly secret?: Uint8Array },
): WebhookResource {
  const hasPrevious = w.previous !== undefined && w.previous.untilMs > o.nowMs;
  return {
    id: w.id,
    url: w.url,
    events: [...w.types],
    ...(w.chain === undefined ? {} : { chain_id: w.chain.id }),
    ...(w.description === undefined ? {} : { description: w.description }),
    state: w.state,
    ...(w.disabledReason === undefined ? {} : { disabled_reason: w.disabledReason }),
    ...(w.failingSinceMs === undefined ? {} : { failing_since: time(w.failingSinceMs) }),
    pending: deliveries.count(w.id, "pending"),
    dead: deliveries.count(w.id, "dead"),
    ...(o.secret === undefined ? {} : { secret: secretText(o.secret) }),
    ...(hasPrevious && w.previous !== undefined ? { previous_secret_until: time(w.previous.untilMs) } : {}),
    created_at: time(w.createdAtMs),
  };
}

/** A delivery. */
export function deliveryResource(d: Delivery): DeliveryResource {
  return {
    id: deliveryId(d),
    event_id: String(d.event),
    type: d.type,
    submission_id: d.submission,
    state: d.state,
    attempts: d.attempts,
    ...(d.lastStatus === undefined ? {} : { last_status: d.lastStatus }),
    ...(d.lastError === undefined ? {} : { last_error: d.lastError }),
    ...(d.state === "pending" ? { next_attempt_at: time(d.nextAtMs) } : {}),
    created_at: time(d.createdAtMs),
    ...(d.doneAtMs === undefined ? {} : { done_at: time(d.doneAtMs) }),
  };
}
