/** The entry of the `cairn` command: the one place where failures become messages and exit codes. */
import { CommanderError } from "commander";
import { CommandError, EXIT } from "./exit-code.ts";
import { createProgram } from "./program.ts";

/** Errors whose message is written for users; anything else is a defect and says only its kind. */
const SPEAKING = new Set([
  "BackupError",
  "NodeError",
  "NodeRefused",
  "ConfigError",
  "DirectoryInUseError",
  "EnvironmentMismatchError",
  "HomeInUseError",
  "ChainMismatchError",
  "KeystoreError",
  "NetworkMismatchError",
  "NoAccountsError",
  "StoreLostError",
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
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The system's own words: "file already exists, mkdir '/home/x' (EEXIST)".
  if (code !== undefined && syscall !== undefined) return `${error.message.replace(`${code}: `, "")} (${code})`;
  return `${code === undefined ? error.name : code}: ${error.message} (set CAIRN_DEBUG=1 for details)`;
}

/** Who reads the output may leave early (`cairn … | head`): that is no failure, and nothing more is to be said. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  fail(error);
}
