/** Access requests: what an integrator tells the operator, and what comes back (proof-service: REST). */
import { z } from "zod";
import { chainIdSchema } from "./submission-body.ts";

/** Limits of an access request. */
export const accessLimits = { messageCharacters: 2_048, chains: 16, openDays: 14 } as const;

const line = (maximum: number) =>
  z
    .string()
    .min(1)
    .max(maximum)
    .refine((text) => text.isWellFormed(), "is not well-formed Unicode")
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), "has control characters");

/** Schema of the body of `POST /v1/access-requests`. */
export const accessRequestSchema = z.object({
  organisation: line(128).describe("Who asks: up to 128 characters."),
  contact: line(254).describe("How the operator reaches you: an e-mail address or a URL."),
  chain_ids: z
    .array(chainIdSchema)
    .min(1, "must name a chain")
    .max(accessLimits.chains, `names more than ${accessLimits.chains} chains`)
    .describe("The chains you will submit for; up to 16."),
  expected_per_day: z.int().min(1).max(1_000_000_000).describe("Submissions a day that you expect.").optional(),
  message: z
    .string()
    .max(accessLimits.messageCharacters)
    .refine((text) => text.isWellFormed(), "is not well-formed Unicode")
    .describe("Anything else: proof systems, contracts, times. Up to 2,048 characters.")
    .optional(),
});
/** A decoded access request. */
export type AccessRequestBody = z.infer<typeof accessRequestSchema>;

/** States of an access request. */
export const accessStates = ["pending", "approved", "claimed", "rejected", "expired"] as const;
/** State of an access request. */
export type AccessState = (typeof accessStates)[number];

const time = z.iso.datetime({ precision: 3 });
const common = {
  id: z.string(),
  state: z.enum(accessStates).describe("pending, approved (the key waits), claimed (it was shown), rejected, expired."),
  created_at: time,
  expires_at: time.describe("A request not decided, or a key not claimed, by then expires."),
  status_url: z.string(),
};

/** Answer to a new request. */
export const accessAckSchema = z.object({
  ...common,
  claim_secret: z.string().describe("Shown here only: the bearer token that reads the request and claims its key."),
});
/** Answer to a new request. */
export type AccessAck = z.infer<typeof accessAckSchema>;

/** An access request as its sender sees it. */
export const accessResourceSchema = z.object({
  ...common,
  account: z.string().optional().describe("From `approved` on."),
  key: z.string().optional().describe("The API key, in the one answer that claims it."),
  key_id: z.string().optional().describe("From `claimed` on; names the key in the operator's lists."),
  scopes: z.array(z.string()).optional(),
  key_expires_at: time.optional(),
});
/** An access request as its sender sees it. */
export type AccessResource = z.infer<typeof accessResourceSchema>;
