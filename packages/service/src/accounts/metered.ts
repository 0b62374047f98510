/** Intake that tells the quotas what was stored. Owns nothing: counts outcomes. */
import type { Aggregator, SubmissionRequest, SubmitOutcome } from "@cairn/aggregator";
import type { Quotas } from "./quotas.ts";

type Intake = Pick<Aggregator, "submit" | "submitMany">;

/** The same intake; a submission that is new, or queued again, counts for its account. */
export function metered(intake: Intake, quotas: Quotas): Intake {
  const note = ({ account }: SubmissionRequest, outcome: SubmitOutcome | undefined): void => {
    if (outcome?.ok !== true) return;
    if (outcome.outcome === "inserted" || outcome.outcome === "requeued") quotas.stored(account, 1);
  };
  return {
    submit: async (request) => {
      const outcome = await intake.submit(request);
      note(request, outcome);
      return outcome;
    },
    submitMany: async (requests) => {
      const outcomes = await intake.submitMany(requests);
      for (const [index, request] of requests.entries()) note(request, outcomes[index]);
      return outcomes;
    },
  };
}
