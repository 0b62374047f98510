/** `cairn reader`: the block reader on its own, handing blocks to a service elsewhere. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseReaderConfig, READER_MODES, type ReaderConfig, type ReaderMode, startReader } from "@cairn/reader";
import { type Command, Option } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { createLog, LOG_LEVELS, type LogLevel } from "../log.ts";
import { untilStopped } from "../stop.ts";

interface ReaderFlags {
  readonly config: string;
  readonly mode: ReaderMode | "TEST";
  readonly address?: string;
  readonly blockNumbersDir?: string;
  readonly stateDir: string;
  readonly logLevel: LogLevel;
}

const HELP = `
Example:
  cairn reader --config reader.toml --mode BOTH

reader.toml:
  service_url = "http://127.0.0.1:8090"
  service_token = "cairn_sbx_..."
  block_fetch_params = [
    ["rpc", "mychain", 1, "https://rpc.example", "eth_getBlockByNumber", "", "token", { confirmations = 2 }],
  ]

Exit codes: 0 stopped, 1 failed, 2 wrong usage or configuration.`;

/** Adds the command to the program. */
export function addReaderCommand(program: Command): void {
  program
    .command("reader")
    .description("read blocks of other chains and submit their hashes")
    .option("--config <file>", "TOML or JSON", "reader.toml")
    .addOption(
      new Option("--mode <mode>", "where block numbers come from").choices([...READER_MODES, "TEST"]).default("REST"),
    )
    .option("--address <host:port>", "of the REST endpoint (modes REST and BOTH)")
    .option("--block-numbers-dir <dir>", "directory of the cursor files")
    .option("--state-dir <dir>", "directory of the reader's own state", "reader-state")
    .addOption(new Option("--log-level <level>", "of the log on standard error").choices(LOG_LEVELS).default("info"))
    .addHelpText("after", HELP)
    .action(reader);
}

async function reader(flags: ReaderFlags): Promise<void> {
  if (flags.mode === "TEST") throw new CommandError("mode TEST is not available in this version", EXIT.usage);
  const running = await startReader({
    config: readConfig(flags),
    mode: flags.mode,
    stateDir: flags.stateDir,
    log: createLog(flags.logLevel),
  });
  process.stdout.write(
    running.url === undefined ? "reading\n" : `reading; pushes at ${running.url}/add-block-by-number/<n>\n`,
  );
  await untilStopped({ failed: new Promise<never>(() => {}), close: () => running.close() });
}

function readConfig(flags: ReaderFlags): ReaderConfig {
  let text: string;
  try {
    text = readFileSync(flags.config, "utf8");
  } catch {
    throw new CommandError(`cannot read ${flags.config}: name the file with --config`, EXIT.usage);
  }
  const config = parseReaderConfig(text);
  return {
    ...config,
    address: flags.address ?? config.address,
    blockNumbersDir: flags.blockNumbersDir ?? resolve(config.blockNumbersDir),
  };
}
