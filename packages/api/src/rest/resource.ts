/**
 * Schemas and types of what the service answers (proof-service: REST). JSON in snake_case; hashes 0x-hex; Bitcoin's
 * ids as its tools print them; times RFC 3339 UTC with milliseconds; numbers only for counts and heights.
 */
import { z } from "zod";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const time = z.iso.datetime({ precision: 3 });
const count = z.int().nonnegative();

/** States of a submission, in the order of a successful life; `rejected` is terminal. */
export const submissionStates = [
  "received",
  "verified",
  "batched",
  "settled",
  "anchored",
  "final",
  "rejected",
] as const;
/** State of a submission. */
export type SubmissionState = (typeof submissionStates)[number];

const state = z.enum(submissionStates).describe("Life of a submission.");
const rejection = z.object({ code: z.string(), detail: z.string() });
/** A member of a body that had no effect. */
export const warningSchema = z.object({ pointer: z.string(), detail: z.string() });

/** Answer to a submission. */
export const submissionAckSchema = z.object({
  id: hash,
  state,
  chain_id: z.string(),
  block_number: z.string().optional(),
  external_id: z.string().optional(),
  received_at: time,
  status_url: z.string(),
  receipt_url: z.string(),
  duplicate: z.literal(true).optional().describe("The same submission was known already."),
  error: rejection.optional(),
  warnings: z.array(warningSchema).optional(),
});
/** Answer to a submission. */
export type SubmissionAck = z.infer<typeof submissionAckSchema>;

const settlementSchema = z.object({
  chain_id: count,
  transaction_hash: hash,
  block_number: count,
  settled_at: time,
});

const anchorRefSchema = z.object({
  sequence: count,
  network: z.string(),
  txid: z.string(),
  state: z.enum(["intent", "broadcast", "mined", "final"]),
  height: count.optional(),
  block_hash: z.string().optional(),
});

/** A submission with its history. */
export const submissionSchema = z.object({
  id: hash,
  state,
  kind: z.enum(["proof", "commitment"]).optional().describe("A commitment is never a verified proof."),
  chain_id: z.string(),
  block_number: z.string().optional(),
  external_id: z.string().optional(),
  metadata: z.json().optional(),
  source: z.string().optional(),
  reorg_of: hash.optional(),
  received_at: time,
  updated_at: time,
  error: rejection.optional(),
  duplicate_of: hash.optional(),
  system: z.string().optional(),
  curve: z.string().optional(),
  encoding: z.string().optional(),
  version: z.string().optional(),
  proof_hash: hash.optional(),
  vk_hash: hash.optional(),
  public_inputs_hash: hash.optional(),
  statement: hash.optional(),
  history: z.array(z.object({ state, at: time })),
  batch: z.object({ number: count, index: count, url: z.string() }).optional(),
  settlement: settlementSchema.optional(),
  anchor: anchorRefSchema.optional(),
  payment: z
    .object({
      mode: z.enum(["vault", "mock"]),
      state: z.enum(["reserved", "captured", "released", "overdue"]),
      price: z.string().describe("Decimal wei: the highest price of its plan until its system is known."),
    })
    .optional()
    .describe("What it costs; a duplicate and a rejected submission cost nothing (`released`)."),
  status_url: z.string(),
  receipt_url: z.string(),
});
/** A submission with its history. */
export type SubmissionResource = z.infer<typeof submissionSchema>;

/** A page of submissions, newest first. */
export const submissionListSchema = z.object({
  items: z.array(submissionSchema),
  next_cursor: z.string().optional(),
});
/** A page of submissions. */
export type SubmissionList = z.infer<typeof submissionListSchema>;

/** A batch of the public register. */
export const batchSchema = z.object({
  number: count,
  state: z.enum(["batched", "settled", "anchored", "final"]),
  size: count,
  closed_at: time,
  root: hash.optional(),
  header: z.string().optional(),
  commitment: hash.optional(),
  verified: count.optional(),
  commitments: count.optional(),
  excluded: z.array(count).optional().describe("Indices of slots that the validators refused."),
  settlement: settlementSchema.optional(),
  anchor: anchorRefSchema.optional(),
});
/** A batch of the public register. */
export type BatchResource = z.infer<typeof batchSchema>;

/** A page of batches, newest first. */
export const batchListSchema = z.object({ items: z.array(batchSchema), next_cursor: z.string().optional() });
/** A page of batches. */
export type BatchList = z.infer<typeof batchListSchema>;

/** An anchor of the public register. */
export const anchorSchema = anchorRefSchema.extend({
  size: count,
  root: hash,
  header: z.string(),
  commitment: hash,
  batches: z.array(count),
  fee_sat: count,
  created_at: time,
  mined_at: time.optional(),
  final_at: time.optional(),
});
/** An anchor of the public register. */
export type AnchorResource = z.infer<typeof anchorSchema>;

/** A page of anchors, newest first. */
export const anchorListSchema = z.object({ items: z.array(anchorSchema), next_cursor: z.string().optional() });
/** A page of anchors. */
export type AnchorList = z.infer<typeof anchorListSchema>;

/** Verdict of the stateless verification. */
export const verdictSchema = z.object({
  valid: z.boolean(),
  kind: z.enum(["proof", "commitment"]).optional(),
  error: rejection.optional(),
  system: z.string().optional(),
  curve: z.string().optional(),
  encoding: z.string().optional(),
  version: z.string().optional(),
  proof_hash: hash.optional(),
  vk_hash: hash.optional(),
  public_inputs_hash: hash.optional(),
  statement: hash.optional(),
  duration_ms: z.number(),
  warnings: z.array(warningSchema).optional(),
});
/** Verdict of the stateless verification. */
export type VerdictResource = z.infer<typeof verdictSchema>;

/** Answer of the connectivity check. */
export const statusSchema = z.object({
  status: z.literal("ok"),
  environment: z.string(),
  version: z.string(),
  time,
  chain: z.object({
    evm_chain_id: count,
    reachable: z.boolean(),
    height: count.optional(),
    settler: z.string(),
  }),
  anchor: z.object({
    network: z.string(),
    reachable: z.boolean(),
    height: count.optional(),
    period_ms: count,
    final_depth: count,
  }),
  store: z.object({
    writable: z.boolean().describe("Whether submissions can be stored: false while the disk is full or failing."),
  }),
  limits: z.object({
    body_bytes: count,
    proof_data_bytes: count,
    metadata_bytes: count,
    submissions_per_minute: count.describe("Of the caller's key; 0: not limited."),
    submissions_burst: count,
    submissions_per_day: count.optional().describe("Of the caller's account, by its agreement; 0: not limited."),
  }),
});
/** Answer of the connectivity check. */
export type StatusResource = z.infer<typeof statusSchema>;

/** What is wrong with which part of a request. */
export const fieldErrorsSchema = z.array(
  z.object({
    pointer: z.string().optional(),
    parameter: z.string().optional(),
    header: z.string().optional(),
    code: z.string(),
    detail: z.string(),
  }),
);

/** Error answer (RFC 9457). */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: count,
  code: z.string(),
  detail: z.string(),
  request_id: z.string().describe("The `X-Request-Id` of the answer.").optional(),
  errors: fieldErrorsSchema.optional(),
});
