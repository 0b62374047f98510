/** The routes of webhooks: made, shown, forgotten, their secrets, their deliveries. */
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import {
  type CreateWebhookBody,
  createWebhookSchema,
  type DeliveryList,
  deliveryStates,
  type FieldError,
  replaySchema,
  type WebhookList,
  type WebhookResource,
  webhookLimits,
} from "@cairn/api";
import { eventOfDeliveryId } from "../webhooks/delivery-store.ts";
import { isAllowedAddress, literalHost, urlFault } from "../webhooks/receiver-address.ts";
import { newSecret, nextSecret } from "../webhooks/signature.ts";
import { deliveryResource, webhookResource } from "../webhooks/webhook-resource.ts";
import type { Webhook } from "../webhooks/webhook-store.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { acceptedBody } from "./accepted-body.ts";
import type { RestContext, RestHandler, RestRequest } from "./context.ts";
import { linkNext } from "./next-page.ts";
import { ProblemError } from "./problem-error.ts";
import { oneText, pageQuery } from "./query.ts";

const DAY_MS = 24 * 3_600_000;
const RESOLVE_MS = 2_000;
const WEBHOOK_ID_BYTES = 16;

/** Makes a webhook that follows what happens from now on. */
export function createWebhook(context: RestContext): RestHandler {
  return async (request): Promise<WebhookResource> => {
    const { http, reply, caller } = request;
    const { value, warnings } = acceptedBody(createWebhookSchema, http.body);
    const { url, events, chain_id: chainId, description } = value;
    const { webhooks } = context;
    const fault = urlFault(webhooks.rule, url) ?? (await resolvedFault(webhooks, url));
    if (fault !== undefined) throw fieldProblem("/url", fault);
    const chain = chainId === undefined ? undefined : chainOf(context, caller.account, chainId);
    const wanted = { account: caller.account, url, types: [...new Set(events ?? [])], chain, description };
    const made = webhooks.database.transaction(() => {
      const id = webhookId(request);
      const known = webhooks.store.ofAccount(caller.account);
      if (known.length >= webhookLimits.perAccount && !known.some((webhook) => webhook.id === id)) {
        throw new ProblemError("too-many-webhooks");
      }
      const now = { cursor: context.events.head(), createdAtMs: Date.now() };
      return webhooks.store.insert({ ...wanted, ...now, id, secret: newSecret() });
    });
    reply.code(201).header("location", `/v1/webhooks/${made.id}`).header("cache-control", "no-store");
    const resource = webhookResource(webhooks.deliveries, made, { nowMs: Date.now(), secret: made.secret });
    return warnings.length === 0 ? resource : { ...resource, warnings: [...warnings] };
  };
}

/** The caller's webhooks. */
export function listWebhooks({ webhooks }: RestContext): RestHandler {
  return async ({ caller }): Promise<WebhookList> => ({
    items: webhooks.store
      .ofAccount(caller.account)
      .map((webhook) => webhookResource(webhooks.deliveries, webhook, { nowMs: Date.now() })),
  });
}

/** One webhook of the caller. */
export function getWebhook(context: RestContext): RestHandler {
  return async (request): Promise<WebhookResource> =>
    webhookResource(context.webhooks.deliveries, ownWebhook(context, request), { nowMs: Date.now() });
}

/** Forgets a webhook; what is being sent to it now may still arrive. */
export function deleteWebhook(context: RestContext): RestHandler {
  return async (request) => {
    context.webhooks.store.remove(ownWebhook(context, request).id);
    return request.reply.code(204).send();
  };
}

/** Makes a new secret; the one before signs for a day more. */
export function rotateWebhookSecret(context: RestContext): RestHandler {
  return async (request): Promise<WebhookResource> => {
    const { webhooks } = context;
    const { id, secret: current, previous } = ownWebhook(context, request);
    const rotated = nextSecret(request.requestName, { current, previous, nowMs: Date.now() });
    if (!rotated.isDone) webhooks.store.rotate(id, rotated.secret, Date.now() + DAY_MS);
    const { secret } = rotated;
    request.reply.header("cache-control", "no-store");
    return webhookResource(webhooks.deliveries, ownWebhook(context, request), { nowMs: Date.now(), secret });
  };
}

/** A page of a webhook's deliveries. */
export function listDeliveries(context: RestContext): RestHandler {
  return async (request): Promise<DeliveryList> => {
    const { http, reply } = request;
    const webhook = ownWebhook(context, request);
    const faults: FieldError[] = [];
    const text = oneText(http.query as Readonly<Record<string, unknown>>, "state", faults);
    const state = deliveryStates.find((known) => known === text);
    if (text !== undefined && state === undefined) {
      faults.push({ parameter: "state", code: "invalid", detail: `must be one of ${deliveryStates.join(", ")}` });
    }
    if (faults.length > 0) throw new ProblemError("invalid-query", { errors: faults });
    const listing = JSON.stringify(["deliveries", webhook.id, state ?? null]);
    const page = pageQuery(context.cursors, listing, http.query);
    const filter = { webhook: webhook.id, ...(state === undefined ? {} : { state }) };
    const found = context.webhooks.deliveries.list({ ...filter, ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    const items = shown.map(deliveryResource);
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    if (last === undefined) return { items };
    return { items, next_cursor: linkNext(http, reply, context.cursors.encode(listing, last.event)) };
  };
}

/** Delivers again what was delivered or given up. Enables a webhook that was disabled. */
export function replayWebhook(context: RestContext): RestHandler {
  return async (request) => {
    const webhook = ownWebhook(context, request);
    const { value } = acceptedBody(replaySchema, request.http.body);
    const { delivery_id: delivery, since, dead } = value;
    if ([delivery, since, dead].filter((member) => member !== undefined).length !== 1) {
      throw fieldProblem("", "must have exactly one of delivery_id, since, dead");
    }
    const { webhooks } = context;
    const queued = webhooks.database.transaction(() => {
      if (webhook.state === "disabled")
        webhooks.store.setEndpoint(webhook.id, { state: "enabled", failingSinceMs: undefined });
      if (delivery !== undefined) return replayOne(webhooks, webhook, delivery);
      if (dead !== undefined) return webhooks.deliveries.requeue(webhook.id, "dead", Date.now());
      const from = Math.min(Number(since), webhook.cursor);
      webhooks.store.setCursor(webhook.id, from);
      return webhooks.deliveries.forgetAfter(webhook.id, from);
    });
    webhooks.wake(webhook.id);
    request.reply.code(202);
    return { queued };
  };
}

function replayOne(webhooks: Webhooks, webhook: Webhook, id: string): number {
  const event = eventOfDeliveryId(webhook.id, id);
  const queued = event === undefined ? 0 : webhooks.deliveries.requeue(webhook.id, { event }, Date.now());
  const isPending =
    event !== undefined &&
    webhooks.deliveries.list({ webhook: webhook.id, before: event + 1, limit: 1 })[0]?.event === event;
  if (queued === 0 && !isPending) throw new ProblemError("not-found", { detail: "no delivery with this id" });
  return queued;
}

function ownWebhook(context: RestContext, { caller, params }: RestRequest): Webhook {
  const webhook = context.webhooks.store.find(params.id ?? "");
  if (webhook === undefined || webhook.account !== caller.account) {
    throw new ProblemError("not-found", { detail: "no webhook with this id" });
  }
  return webhook;
}

/** A request that is served again after a crash makes the same webhook. */
function webhookId({ requestName }: RestRequest): string {
  const bytes = requestName ?? randomBytes(WEBHOOK_ID_BYTES);
  return `wh_${Buffer.from(bytes.subarray(0, WEBHOOK_ID_BYTES)).toString("hex")}`;
}

function chainOf(context: RestContext, account: string, chainId: NonNullable<CreateWebhookBody["chain_id"]>) {
  const resolved = context.accounts.resolveChain(account, chainId);
  if (resolved === undefined) throw fieldProblem("/chain_id", "is no chain of this account");
  return { id: chainId, key: resolved.chainKey };
}

/** Tells early what every attempt would find; a name that cannot be resolved now may be resolved later. */
async function resolvedFault({ rule }: Webhooks, text: string): Promise<string | undefined> {
  const url = new URL(text);
  if (literalHost(url) !== undefined) return undefined;
  const late = new Promise<readonly { readonly address: string }[]>((resolve) => {
    setTimeout(resolve, RESOLVE_MS, []).unref();
  });
  const found = await Promise.race([lookup(url.hostname, { all: true }).catch(() => []), late]);
  return found.every(({ address }) => isAllowedAddress(rule, address))
    ? undefined
    : "leads to a private or special address";
}

function fieldProblem(pointer: string, detail: string): ProblemError {
  return new ProblemError("invalid-body", { errors: [{ pointer, code: "invalid", detail }] });
}
