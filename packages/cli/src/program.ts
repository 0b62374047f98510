/** The `cairn` command with all its subcommands. */
import { Command } from "commander";
import { addAccessCommand } from "./commands/access.ts";
import { addAccountCommand } from "./commands/account.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addKeysCommand } from "./commands/keys.ts";
import { addNodeCommands } from "./commands/node.ts";
import { addProofCommands } from "./commands/proof.ts";
import { addReaderCommand } from "./commands/reader.ts";
import { addReceiptCommands } from "./commands/receipt.ts";
import { addSandboxCommand } from "./commands/sandbox.ts";
import { addServiceCommand } from "./commands/service.ts";
import { addSubmitCommand } from "./commands/submit.ts";
import { addWalletCommand } from "./commands/wallet.ts";
import { addEnding } from "./help-ending.ts";
import { VERSION } from "./version.ts";

/** Makes the program. It throws CommanderError instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("cairn")
    .description("A chain that verifies zero-knowledge proofs, aggregates them and anchors the result in Bitcoin.")
    .version(VERSION)
    .showHelpAfterError("(add --help for what is possible)")
    .exitOverride();
  for (const add of COMMANDS) add(program);
  return addEnding(program, {
    examples: [
      "cairn sandbox",
      "cairn submit examples/groth16.json --chain-id my-rollup --block-number 42 --watch",
      "cairn verify receipt.json",
    ],
    notes: ["Each command has --help with its options, examples and exit codes."],
    codes: "0 done, 1 failed or false, 2 wrong usage or unreadable input, 3 a trust root is missing (verify)",
  });
}

const COMMANDS: readonly ((program: Command) => void)[] = [
  addSandboxCommand,
  addNodeCommands,
  addAccountCommand,
  addReaderCommand,
  addServiceCommand,
  addSubmitCommand,
  addProofCommands,
  addReceiptCommands,
  addAccessCommand,
  addWalletCommand,
  addKeysCommand,
  addDemoCommand,
  addDoctorCommand,
  addCompletionCommand,
];
