/** Bodies and answers of the sandbox's debugging tools (proof-service: environments). Absent in production. */
import { z } from "zod";
import { fieldErrorsSchema, submissionAckSchema, verdictSchema } from "./resource.ts";

const count = z.int().nonnegative();

/** Schema of the fault switches; what is not named stays as it is. */
export const serviceFaultsSchema = z.object({
  verifier_delay_ms: z.int().min(0).max(60_000).describe("Each group of proofs is judged this much later.").optional(),
  chain_unreachable: z.boolean().describe("Settlement cannot reach the chain.").optional(),
  bitcoin_unreachable: z.boolean().describe("Anchoring cannot reach Bitcoin.").optional(),
  webhooks_failing: z.boolean().describe("Every delivery fails.").optional(),
});

/** Schema of the switches as they are. */
export const serviceFaultStateSchema = z.object({
  verifier_delay_ms: count,
  chain_unreachable: z.boolean(),
  bitcoin_unreachable: z.boolean(),
  webhooks_failing: z.boolean(),
});

/** A request as the sandbox remembers it. */
export const requestLogEntrySchema = z.object({
  request_id: z.string(),
  time: z.iso.datetime({ precision: 3 }),
  method: z.string(),
  url: z.string(),
  status: count,
  code: z.string().optional().describe("Of the problem it was answered with."),
  errors: fieldErrorsSchema.optional(),
  duration_ms: z.number(),
  key_id: z.string(),
  body_bytes: count.optional(),
  user_agent: z.string().optional(),
});
/** A request as the sandbox remembers it. */
export type RequestLogEntry = z.infer<typeof requestLogEntrySchema>;

/** Schema of the newest requests. */
export const requestLogSchema = z.object({ items: z.array(requestLogEntrySchema) });

/** Schema of a replay's answer. */
export const replayedSchema = z.object({
  verdict: verdictSchema.describe("What the verifier says of the stored proof now."),
  submission: submissionAckSchema.describe("The same content handed in anew, under an id of its own."),
});

/** Schema of a forced batch's answer. */
export const forcedBatchSchema = z.object({
  batch: count.nullable().describe("Number of the batch that closed; null when nothing waited."),
});
/** Schema of a forced anchor's answer. */
export const forcedAnchorSchema = z.object({
  anchor: count.nullable().describe("Sequence of the anchor that was made; null when nothing waited or it is not yet."),
});

/** Schema of blocks to be mined. */
export const mineSchema = z.object({
  count: z.int().min(1).max(100).describe("How many, up to 100.").optional(),
});
/** Schema of a reorganisation. */
export const reorgSchema = z.object({
  depth: z
    .int()
    .min(1)
    .max(50)
    .describe("So many of the newest blocks leave the best chain; one more comes in their place, empty.")
    .optional(),
});
/** Schema of the chain after mining. */
export const minedSchema = z.object({ blocks: z.array(z.string()), height: count });
