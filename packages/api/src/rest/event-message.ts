/** What is told of a submission: the data of an event stream and the body of a webhook (Standard Webhooks 1.0). */
import { z } from "zod";
import { submissionStates } from "./resource.ts";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Names of all event types. */
export const eventTypes = submissionStates.map((state) => `submission.${state}` as const);
/** Name of an event type. */
export type EventType = (typeof eventTypes)[number];

/** Schema of a message. */
export const eventMessageSchema = z.object({
  type: z.enum(eventTypes),
  timestamp: z.iso.datetime({ precision: 3 }).describe("When the state was reached."),
  event_id: z.string().describe("Number of the event; grows with time."),
  environment: z.string(),
  data: z.object({
    id: hash,
    state: z.enum(submissionStates).describe("The state that was reached; the submission may be further already."),
    chain_id: z.string(),
    block_number: z.string().optional(),
    external_id: z.string().optional(),
    error: z.object({ code: z.string(), detail: z.string() }).optional().describe("Why it is rejected."),
    duplicate_of: hash.optional(),
    status_url: z.string(),
    receipt_url: z.string(),
  }),
});
/** A message. */
export type EventMessage = z.infer<typeof eventMessageSchema>;
