/** What an account used, by UTC day and chain. */
import { z } from "zod";

const count = z.int().nonnegative();
/** Counters of a statement. */
export const usageCounts = {
  submissions: count.describe("Accepted, resubmissions included: what the daily quota counts."),
  verified: count,
  rejected: count,
  settled: count.describe(
    "That reached `settled`, duplicates of a statement included, on the day of their settlement.",
  ),
};

/** Schema of a usage statement. */
export const usageSchema = z.object({
  account: z.string(),
  from: z.iso.date(),
  to: z.iso.date(),
  totals: z.object(usageCounts),
  days: z.array(
    z.object({ day: z.iso.date(), chain_id: z.string().describe("The chain, aliases resolved."), ...usageCounts }),
  ),
});
/** A usage statement. */
export type UsageResource = z.infer<typeof usageSchema>;
