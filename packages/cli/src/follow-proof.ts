/** Following a submission on the terminal until it is final or rejected. */
import type { CairnClient } from "@cairn/sdk";
import { CommandError } from "./exit-code.ts";

/** Prints each new state once; throws CommandError when the submission is rejected. */
export async function followProof(client: CairnClient, id: string, json: boolean): Promise<void> {
  let seen = 0;
  for (;;) {
    const proof = await client.getProof(id, seen === 0 ? {} : { waitSeconds: 30 });
    for (const step of proof.history.slice(seen)) {
      process.stdout.write(json ? `${JSON.stringify(step)}\n` : `${step.at}  ${step.state}\n`);
    }
    seen = proof.history.length;
    if (proof.state === "rejected") throw new CommandError(`rejected: ${proof.error?.code ?? "no code"}`);
    if (proof.state === "final") return;
  }
}
