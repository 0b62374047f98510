/** Routes of webhooks. */
import { z } from "zod";
import { type RouteParameter, route } from "../route.ts";
import {
  createWebhookSchema,
  deliveryListSchema,
  deliveryStates,
  replayAnswerSchema,
  replaySchema,
  webhookListSchema,
  webhookSchema,
} from "../webhook.ts";
import { bodyErrors, page, scopeErrors } from "./parameters.ts";

const id: RouteParameter = {
  in: "path",
  name: "id",
  summary: "Id of the webhook.",
  required: true,
  schema: z.string().regex(/^wh_[0-9a-f]{32}$/),
};
const common = { access: "token", scope: "webhooks:write" } as const;

/** The routes. Keys name the operations. */
export const webhookRoutes = {
  createWebhook: route({
    ...common,
    method: "POST",
    path: "/v1/webhooks",
    summary:
      "Deliver what happens to the caller's submissions from now on to a URL. Signed as Standard Webhooks 1.0 says; at " +
      "least once, in order for each submission; tried again for three days, then a dead letter.",
    body: createWebhookSchema,
    responses: { 201: { summary: "Made; `secret` is shown only now.", schema: webhookSchema } },
    errors: [...bodyErrors, "too-many-webhooks"],
  }),
  listWebhooks: route({
    ...common,
    method: "GET",
    path: "/v1/webhooks",
    etag: true,
    summary: "The caller's webhooks, oldest first.",
    responses: { 200: { summary: "All of them.", schema: webhookListSchema } },
    errors: [...scopeErrors],
  }),
  getWebhook: route({
    ...common,
    method: "GET",
    path: "/v1/webhooks/{id}",
    etag: true,
    summary: "One webhook.",
    parameters: [id],
    responses: { 200: { summary: "The webhook.", schema: webhookSchema } },
    errors: [...scopeErrors, "not-found"],
  }),
  deleteWebhook: route({
    ...common,
    method: "DELETE",
    path: "/v1/webhooks/{id}",
    summary: "Forget a webhook and what waits for it.",
    parameters: [id],
    responses: { 204: { summary: "Gone." } },
    errors: [...scopeErrors, "not-found", "unavailable"],
  }),
  rotateWebhookSecret: route({
    ...common,
    method: "POST",
    path: "/v1/webhooks/{id}/rotate-secret",
    summary: "Make a new secret; for a day the previous one signs too.",
    parameters: [id],
    responses: { 200: { summary: "The webhook; `secret` is shown only now.", schema: webhookSchema } },
    errors: [...scopeErrors, "not-found", "unavailable"],
  }),
  listDeliveries: route({
    ...common,
    method: "GET",
    path: "/v1/webhooks/{id}/deliveries",
    etag: true,
    summary: "Deliveries of a webhook, newest first. Delivered ones are kept for 7 days, dead letters for 30.",
    parameters: [
      id,
      { in: "query", name: "state", summary: "Only `pending`, `delivered` or `dead`.", schema: z.enum(deliveryStates) },
      ...page,
    ],
    responses: { 200: { summary: "A page; `Link` names the next.", schema: deliveryListSchema } },
    errors: [...scopeErrors, "not-found", "invalid-query"],
  }),
  replayWebhook: route({
    ...common,
    method: "POST",
    path: "/v1/webhooks/{id}/replay",
    summary:
      "Deliver again, under the same `webhook-id`: one delivery, all dead letters, or everything after an event.",
    parameters: [id],
    body: replaySchema,
    responses: { 202: { summary: "Queued.", schema: replayAnswerSchema } },
    errors: [...bodyErrors, "not-found"],
  }),
} as const;
