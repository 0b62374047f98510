/** `cairn reader`: the block reader on its own, handing blocks and roots to a service elsewhere. */
import { probeEntries, READER_MODES, type ReaderMode, startReader, watchConfig } from "@cairn/reader";
import { type Command, Option } from "commander";
import { CommandError } from "../exit-code.ts";
import { addEnding } from "../help-ending.ts";
import { createLog, LOG_LEVELS, type LogLevel } from "../log.ts";
import { addAuditCommand } from "../reader/audit-command.ts";
import { addBackfillCommand } from "../reader/backfill-command.ts";
import { probeJson, renderProbeTable } from "../reader/probe-table.ts";
import {
  adaptersOf,
  addReaderFileFlags,
  configFileOf,
  modulesDirOf,
  type ReaderFileFlags,
  readReaderConfig,
  stateDirOf,
} from "../reader/reader-files.ts";
import { untilStopped } from "../stop.ts";
import { refuseOtherWords } from "../usage.ts";

interface ReaderFlags extends ReaderFileFlags {
  readonly mode: ReaderMode | "TEST";
  readonly logLevel: LogLevel;
  readonly json?: boolean;
}

const NOTES = `Modes:
  REST  takes pushed block numbers (default)     LOOP  follows every entry
  BOTH  the two together                         TEST  tries every entry once, prints a table, submits nothing

reader.toml:
  service_url = "http://127.0.0.1:8090"
  service_token = "cairn_sbx_..."
  block_fetch_params = [
    ["rpc", "mychain", 1, "https://rpc.example", "eth_getBlockByNumber", "", "token", { confirmations = 2 }],
    ["contract", "linea", 1, "https://l1.example", "L2MerkleRootAdded", "0xd19d...876f", "", { submit = "59144" }],
  ]

The list is read again when the file changes and on SIGHUP; a file that cannot be used changes nothing.
docs/reference/reader.md lists families, events and options.`;

/** Adds the command to the program. */
export function addReaderCommand(program: Command): void {
  const command = program.command("reader");
  addReaderFileFlags(command)
    .description("read blocks and events of other chains and submit their hashes and roots")
    .addOption(
      new Option("--mode <mode>", "where block numbers come from").choices([...READER_MODES, "TEST"]).default("REST"),
    )
    .option("--address <host:port>", "of the REST endpoint (modes REST and BOTH; default 127.0.0.1:8080)")
    .option("--metrics-address <host:port>", "of health and metrics in mode LOOP (default: none)")
    .option("--block-numbers-dir <dir>", "directory of the cursor files (default: block_numbers)")
    .option("--json", "mode TEST: print JSON")
    .addOption(new Option("--log-level <level>", "of the log on standard error").choices(LOG_LEVELS).default("info"))
    .action((flags: ReaderFlags) => (flags.mode === "TEST" ? tryEntries(flags) : read(flags, flags.mode)));
  addEnding(command, {
    examples: ["cairn reader --config reader.toml --mode TEST", "cairn reader --config reader.toml --mode BOTH"],
    notes: [NOTES],
    codes: "0 stopped or all tried well, 1 failed, 2 wrong usage or configuration",
  });
  refuseOtherWords(command, command);
  addAuditCommand(command);
  addBackfillCommand(command);
}

async function read(flags: ReaderFlags, mode: ReaderMode): Promise<void> {
  const config = readReaderConfig(flags);
  const log = createLog(flags.logLevel);
  const files = { stateDir: stateDirOf(flags), modulesDir: modulesDirOf(flags) };
  const reader = await startReader({ config, mode, ...files, log });
  const load = () => readReaderConfig(flags);
  const watch = watchConfig({ file: configFileOf(flags), load, running: config, reader, log });
  const onHangup = () => void watch.reload();
  process.on("SIGHUP", onHangup);
  const pushes = mode === "LOOP" ? "" : `; pushes at ${reader.url}/add-block-by-number/<n>`;
  const metrics = reader.url === undefined ? "" : `; metrics at ${reader.url}/metrics`;
  process.stdout.write(`reading${pushes}${metrics}\n`);
  const close = () => {
    watch.close();
    process.removeListener("SIGHUP", onHangup);
    return reader.close();
  };
  await untilStopped({ failed: new Promise<never>(() => {}), close });
}

async function tryEntries(flags: ReaderFlags): Promise<void> {
  const { entries, warnings } = readReaderConfig(flags);
  for (const warning of warnings) process.stderr.write(`cairn: ${warning}\n`);
  const signal = new AbortController().signal;
  const rows = await probeEntries({ entries, openAdapter: adaptersOf(flags), signal });
  process.stdout.write(flags.json === true ? probeJson(rows) : renderProbeTable(rows));
  const failed = rows.filter((row) => !row.ok).length;
  if (failed > 0) throw new CommandError(`${failed} of ${rows.length} failed`);
}
