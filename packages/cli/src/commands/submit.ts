/** `cairn submit`: handing a proof to the service. */
import { readFileSync } from "node:fs";
import { createServiceClient, ServiceProblem } from "@cairn/sdk";
import type { Command } from "commander";
import { addConnectionFlags, type ConnectionFlags, connectionOf } from "../connection.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { followProof } from "../follow-proof.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { addRequiredOption } from "../usage.ts";

interface SubmitFlags extends ConnectionFlags {
  readonly chainId: string;
  readonly blockNumber?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const ENDING: Ending = {
  examples: ["cairn submit examples/groth16.json --chain-id my-rollup --block-number 42 --watch"],
  notes: [
    'FILE holds the proof_data: an envelope {"system", "encoding", "proof", "publicInputs", "vk"} or snarkjs\' own',
    '{"proof", "publicSignals", "vk"}.',
  ],
  codes: "0 accepted (with --watch: final), 1 refused or rejected, 2 wrong usage",
};

/** Adds the command to the program. */
export function addSubmitCommand(program: Command): void {
  const command = addConnectionFlags(program.command("submit"))
    .description("submit a proof")
    .argument("<file>", "file with the proof, or - for standard input")
    .option("--block-number <n>", "block the proof is about, decimal or 0x-hex")
    .option("--watch", "wait until it is final")
    .option("--json", "print a JSON object")
    .action(submit);
  const doc = "the chain the proof belongs to: a number, a CAIP-2 id or a name";
  addEnding(addRequiredOption(command, "--chain-id <id>", doc), ENDING);
}

async function submit(file: string, flags: SubmitFlags): Promise<void> {
  const client = createServiceClient(connectionOf(flags));
  const body = {
    proof_data: readProof(file),
    chain_id: flags.chainId,
    ...(flags.blockNumber === undefined ? {} : { block_number: flags.blockNumber }),
  };
  const answer = await client.submitProof(body).catch((error: unknown) => {
    throw usageError(error) ?? error;
  });
  process.stdout.write(flags.json === true ? `${JSON.stringify(answer)}\n` : `${answer.id}\n`);
  if (flags.watch === true) await followProof(client, answer.id, flags.json === true);
}

const FLAGS: Readonly<Record<string, string>> = { "/chain_id": "--chain-id", "/block_number": "--block-number" };

/** A value the service finds malformed was typed wrong: it is told by its flag. */
function usageError(error: unknown): CommandError | undefined {
  if (!(error instanceof ServiceProblem) || error.code !== "invalid-body") return undefined;
  const lines = error.errors.map(({ pointer = "", detail }) => `${FLAGS[pointer] ?? "<file>"}: ${detail}`);
  return new CommandError(lines.length === 0 ? error.message : lines.join("\n"), EXIT.usage);
}

function readProof(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").trim();
  } catch {
    throw new CommandError(`cannot read ${file}`, EXIT.usage);
  }
}
