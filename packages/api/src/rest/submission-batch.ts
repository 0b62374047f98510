/**
 * Body and answer of `POST /v1/submit-proofs`: up to 1,000 submissions, each read and judged by itself, so that a fault
 * of one leaves the others alone. Pointers name members of the whole body (`/items/3/chain_id`).
 */
import { z } from "zod";
import type { FieldError } from "./problem.ts";
import { problemSchema, submissionAckSchema } from "./resource.ts";
import {
  bodyLimits,
  type DecodedBody,
  decodeBody,
  type SubmitProofBody,
  submitProofSchema,
} from "./submission-body.ts";

/** Schema of the body, for documents; reading is `decodeBatch`. */
export const submitProofsSchema = z.object({
  items: z
    .array(submitProofSchema)
    .min(1)
    .max(bodyLimits.batchItems)
    .describe("Submissions, each as the body of `POST /v1/submit-proof`; at most 1,000."),
});

const count = z.int().nonnegative();

/** Schema of the answer. */
export const submissionBatchSchema = z.object({
  accepted: count.describe("Items with status 202 or 200."),
  refused: count.describe("Items with a problem."),
  items: z
    .array(
      submissionAckSchema.partial().extend({
        index: count.describe("Position in the body."),
        status: count.describe("What the item alone would have been answered with."),
        problem: problemSchema.optional().describe("Why it was refused; its pointers name members of the whole body."),
      }),
    )
    .describe("A result for each item, in order."),
});
/** Answer to several submissions. */
export type SubmissionBatch = z.infer<typeof submissionBatchSchema>;

/** Items of a body, each read by itself. */
export type DecodedBatch =
  | { readonly ok: true; readonly items: readonly DecodedBody<SubmitProofBody>[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Reads an untrusted JSON value. Faults outside the items refuse the whole body. */
export function decodeBatch(body: unknown): DecodedBatch {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { ok: false, errors: [{ pointer: "", code: "type", detail: "must be an object" }] };
  }
  const items = Object.hasOwn(body, "items") ? (body as { readonly items: unknown }).items : undefined;
  if (items === undefined) return fault("required", "is required");
  if (!Array.isArray(items)) return fault("type", "must be an array");
  if (items.length === 0) return fault("invalid", "must not be empty");
  if (items.length > bodyLimits.batchItems) return fault("invalid", "has more than 1,000 items");
  return { ok: true, items: items.map((item, index) => under(index, decodeBody(submitProofSchema, item))) };
}

function fault(code: string, detail: string): DecodedBatch {
  return { ok: false, errors: [{ pointer: "/items", code, detail }] };
}

/** The pointers of an item, seen from the body. */
function under(index: number, decoded: DecodedBody<SubmitProofBody>): DecodedBody<SubmitProofBody> {
  const prefix = `/items/${index}`;
  if (!decoded.ok) {
    return {
      ok: false,
      errors: decoded.errors.map((error) => ({ ...error, pointer: prefix + (error.pointer ?? "") })),
    };
  }
  const warnings = decoded.warnings.map((warning) => ({ ...warning, pointer: prefix + warning.pointer }));
  return { ...decoded, warnings };
}
