/** Bodies and resources of webhooks (Standard Webhooks 1.0). Does not send. */
import { z } from "zod";
import { eventTypes } from "./event-message.ts";
import { warningSchema } from "./resource.ts";
import { chainIdSchema } from "./submission-body.ts";

/** Bounds of webhooks; `perAccount` counts endpoints. */
export const webhookLimits = { perAccount: 20, urlCharacters: 2_048, descriptionCharacters: 256 } as const;

const time = z.iso.datetime({ precision: 3 });
const count = z.int().nonnegative();

/** Schema of a new webhook. */
export const createWebhookSchema = z.object({
  url: z
    .string()
    .max(webhookLimits.urlCharacters)
    .describe("Where to deliver: `https` at a public address; the sandbox takes `http` and loopback as well."),
  events: z
    .array(z.enum(eventTypes))
    .max(eventTypes.length, "names a type more than once")
    .describe("Types to deliver; all when empty or absent.")
    .optional(),
  chain_id: chainIdSchema.describe("Only submissions of this chain.").optional(),
  description: z
    .string()
    .max(webhookLimits.descriptionCharacters)
    .refine((text) => text.isWellFormed(), "is not well-formed Unicode")
    .describe("The caller's own note.")
    .optional(),
});
/** A decoded body of a new webhook. */
export type CreateWebhookBody = z.infer<typeof createWebhookSchema>;

/** Schema of a replay: exactly one member. */
export const replaySchema = z.object({
  delivery_id: z.string().describe("Deliver this one again.").optional(),
  since: z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,14})$/, "must be the id of an event")
    .describe("Deliver everything after the event with this id again.")
    .optional(),
  dead: z.literal(true, "must be true").describe("Deliver all dead letters again.").optional(),
});
/** A decoded body of a replay. */
export type ReplayBody = z.infer<typeof replaySchema>;

/** A webhook. */
export const webhookSchema = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(eventTypes)).describe("All types when empty."),
  chain_id: z.string().optional(),
  description: z.string().optional(),
  state: z.enum(["enabled", "disabled"]).describe("A disabled one is enabled again by a replay."),
  disabled_reason: z.enum(["failing", "gone"]).optional(),
  failing_since: time.optional(),
  pending: count.describe("Deliveries that wait, also those to be tried again."),
  dead: count.describe("Deliveries that were given up."),
  secret: z.string().optional().describe("Shown once, when it is made: `whsec_` and base64."),
  previous_secret_until: time.optional().describe("Until then the previous secret signs too."),
  created_at: time,
  warnings: z.array(warningSchema).optional().describe("Members of the body that had no effect."),
});
/** A webhook. */
export type WebhookResource = z.infer<typeof webhookSchema>;

/** The account's webhooks. */
export const webhookListSchema = z.object({ items: z.array(webhookSchema) });
/** The account's webhooks. */
export type WebhookList = z.infer<typeof webhookListSchema>;

/** States of a delivery. */
export const deliveryStates = ["pending", "delivered", "dead"] as const;

/** A delivery. */
export const deliverySchema = z.object({
  id: z.string().describe("The `webhook-id` of every attempt."),
  event_id: z.string(),
  type: z.enum(eventTypes),
  submission_id: z.string(),
  state: z.enum(deliveryStates),
  attempts: count,
  last_status: count.optional().describe("HTTP status of the last attempt."),
  last_error: z.string().optional(),
  next_attempt_at: time.optional(),
  created_at: time,
  done_at: time.optional(),
});
/** A delivery. */
export type DeliveryResource = z.infer<typeof deliverySchema>;

/** A page of deliveries, newest first. */
export const deliveryListSchema = z.object({ items: z.array(deliverySchema), next_cursor: z.string().optional() });
/** A page of deliveries. */
export type DeliveryList = z.infer<typeof deliveryListSchema>;

/** Answer to a replay. */
export const replayAnswerSchema = z.object({
  queued: count.describe("Deliveries that wait again; with `since` more may follow from the events."),
});
