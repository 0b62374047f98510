/** The `cairn` command: its program, and the one place where failures become messages and exit codes. */
import { Command, CommanderError } from "commander";
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
import { CommandError, EXIT } from "./exit-code.ts";
import { VERSION } from "./version.ts";

const program = new Command("cairn")
  .description("A chain that verifies zero-knowledge proofs, aggregates them and anchors the result in Bitcoin.")
  .version(VERSION)
  .showHelpAfterError("(add --help for what is possible)")
  .exitOverride();

addSandboxCommand(program);
addNodeCommands(program);
addAccountCommand(program);
addReaderCommand(program);
addServiceCommand(program);
addSubmitCommand(program);
addProofCommands(program);
addReceiptCommands(program);
addAccessCommand(program);
addWalletCommand(program);
addKeysCommand(program);
addDemoCommand(program);
addDoctorCommand(program);
addCompletionCommand(program);

/** Errors whose message is written for users; anything else is a defect and says only its kind. */
const SPEAKING = new Set([
  "BackupError",
  "NodeError",
  "NodeRefused",
  "ConfigError",
  "EnvironmentMismatchError",
  "ChainMismatchError",
  "KeystoreError",
  "NetworkMismatchError",
  "NoAccountsError",
  "StoreUnavailableError",
  "StoreVersionError",
  "ProductionError",
  "OperationError",
  "ReaderConfigError",
  "ServiceKeyError",
  "ServiceProblem",
  "ServiceUnreachable",
  "StateTooNewError",
  "WireError",
]);

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return;
  }
  process.exitCode = error instanceof CommandError ? error.exitCode : EXIT.failed;
  process.stderr.write(`cairn: ${explain(error)}\n`);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  if (error instanceof CommandError || SPEAKING.has(error.name) || error.name.endsWith("ListenError"))
    return error.message;
  if (process.env.CAIRN_DEBUG !== undefined) return error.stack ?? error.message;
  const code = (error as NodeJS.ErrnoException).code;
  return `${code === undefined ? error.name : code}: ${error.message} (set CAIRN_DEBUG=1 for details)`;
}

try {
  await program.parseAsync();
} catch (error) {
  fail(error);
}
