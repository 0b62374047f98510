/** `cairn proof` and `cairn watch`: the state of a submission. */
import { createServiceClient } from "@cairn/sdk";
import type { Command } from "commander";
import { addConnectionFlags, type ConnectionFlags, connectionOf } from "../connection.ts";
import { followProof } from "../follow-proof.ts";
import { addEnding } from "../help-ending.ts";

interface ProofFlags extends ConnectionFlags {
  readonly bytes?: boolean;
  readonly json?: boolean;
}

/** Adds both commands to the program. */
export function addProofCommands(program: Command): void {
  const proof = addConnectionFlags(program.command("proof"))
    .description("show a submission")
    .argument("<id>", "id of the submission")
    .option("--bytes", "write the canonical proof bytes, from which receipt.ots starts, to standard output")
    .option("--json", "print the whole resource as JSON")
    .action(show);
  addEnding(proof, {
    examples: ["cairn proof ID", "cairn proof ID --bytes > proof.bin"],
    codes: "0 done, 1 not available, 2 wrong usage",
  });
  const watching = addConnectionFlags(program.command("watch"))
    .description("follow a submission until it is final")
    .argument("<id>", "id of the submission")
    .option("--json", "print a JSON object per state")
    .action(watch);
  addEnding(watching, { examples: ["cairn watch ID"], codes: "0 final, 1 rejected or not available, 2 wrong usage" });
}

async function show(id: string, flags: ProofFlags): Promise<void> {
  const client = createServiceClient(connectionOf(flags));
  if (flags.bytes === true) {
    process.stdout.write(await client.proofBytes(id));
    return;
  }
  const proof = await client.getProof(id);
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(proof, null, 2)}\n`);
    return;
  }
  const code = proof.error === null || proof.error === undefined ? "" : ` (${proof.error.code}: ${proof.error.detail})`;
  process.stdout.write(`${proof.id}  ${proof.state}${code}\n`);
  for (const step of proof.history) process.stdout.write(`  ${step.at}  ${step.state}\n`);
}

async function watch(id: string, flags: ProofFlags): Promise<void> {
  await followProof(createServiceClient(connectionOf(flags)), id, flags.json === true);
}
