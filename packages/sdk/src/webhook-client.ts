/** The client's part for webhooks: making, listing, replaying. Checking what arrives is `verifyWebhook`. */
import type { CreateWebhookBody, DeliveryList, ReplayBody, WebhookList, WebhookResource } from "@cairn/api";
import { type Connection, exchange, exchangeJson, type KeyOption, queryOf } from "./http.ts";

/** Filters of a list of deliveries. */
export interface DeliveryOptions {
  readonly state?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** Webhooks of the account. Every call throws `ServiceProblem` or `ServiceUnreachable`. */
export interface WebhookClient {
  /** The answer's `secret` is shown once. */
  createWebhook(body: CreateWebhookBody, o?: KeyOption): Promise<WebhookResource>;
  webhooks(): Promise<WebhookList>;
  webhook(id: string): Promise<WebhookResource>;
  deleteWebhook(id: string): Promise<void>;
  /** The new secret is shown once; the old one signs too for a while. */
  rotateWebhookSecret(id: string, o?: KeyOption): Promise<WebhookResource>;
  deliveries(id: string, o?: DeliveryOptions): Promise<DeliveryList>;
  replayWebhook(id: string, body: ReplayBody): Promise<unknown>;
}

/** Makes the part. */
export function webhookClient(connection: Connection): WebhookClient {
  const one = (id: string): string => `v1/webhooks/${encodeURIComponent(id)}`;
  return {
    createWebhook: (body, o) => exchangeJson(connection, { method: "POST", path: "v1/webhooks", body, ...o }),
    webhooks: () => exchangeJson(connection, { path: "v1/webhooks" }),
    webhook: (id) => exchangeJson(connection, { path: one(id) }),
    deleteWebhook: async (id) => void (await exchange(connection, { method: "DELETE", path: one(id) })),
    rotateWebhookSecret: (id, o) =>
      exchangeJson(connection, { method: "POST", path: `${one(id)}/rotate-secret`, body: {}, ...o }),
    deliveries: (id, o) => exchangeJson(connection, { path: `${one(id)}/deliveries${queryOf(o)}` }),
    replayWebhook: (id, body) => exchangeJson(connection, { method: "POST", path: `${one(id)}/replay`, body }),
  };
}
