/** Following a submission on the terminal until it is final or rejected. */
import { type ServiceClient, StateNotReached, type SubmissionResource } from "@cairn/sdk";
import { CommandError } from "./exit-code.ts";

const STATES = ["received", "verified", "batched", "settled", "anchored", "final"] as const;
const PATIENCE_MS = 24 * 3_600_000;

/** Prints each state once, as it is reached; throws CommandError when the submission is rejected. */
export async function followProof(client: ServiceClient, id: string, json: boolean): Promise<void> {
  let seen = 0;
  const print = ({ history }: SubmissionResource) => {
    for (const step of history.slice(seen)) {
      process.stdout.write(json ? `${JSON.stringify(step)}\n` : `${step.at}  ${step.state}\n`);
    }
    seen = history.length;
  };
  try {
    for (const state of STATES) print(await client.waitFor(id, state, { timeoutMs: PATIENCE_MS }));
  } catch (error) {
    if (!(error instanceof StateNotReached)) throw error;
    print(error.submission);
    const { state, error: fault } = error.submission;
    const why = fault === null || fault === undefined ? "gave up waiting" : `${fault.code} (${fault.detail})`;
    throw new CommandError(`${state}: ${why}`);
  }
}
