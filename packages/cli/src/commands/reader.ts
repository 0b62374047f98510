/** `cairn reader`: the block reader on its own, handing blocks and roots to a service elsewhere. */
import {
  type ProbeRow,
  probeEntries,
  READER_MODES,
  type ReaderMode,
  startProbeServer,
  startReader,
  watchConfig,
} from "@cairn/reader";
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

reader.toml (chmod 600: it holds tokens):
  service_url = "http://127.0.0.1:8090"
  service_token = "cairn_sbx_..."
  block_fetch_params = [
    # kind, name, chain id, URL, method or event, contract address, auth token, options
    ["rpc", "mychain", 1, "https://rpc.example", "eth_getBlockByNumber", "", "token", { confirmations = 2 }],
    ["contract", "linea", 1, "https://l1.example", "L2MerkleRootAdded", "0xd19d...876f", "", { submit = "59144" }],
    ["sdk", "celestia", 131415, "http://127.0.0.1:26658", "header.GetByHeight", "", "jwt"],
  ]

The list is read again when the file changes and on SIGHUP; a file that cannot be used changes nothing, and the log says
which line is wrong. An entry that stopped begins again on SIGHUP. One reader uses a state directory at a time.
docs/reference/reader.md lists families, events and options; docs/guides/registering-a-chain.md walks through it.`;

/** Adds the command to the program. */
export function addReaderCommand(program: Command): void {
  const command = program.command("reader");
  addReaderFileFlags(command)
    .description("read blocks and events of other chains and submit their hashes and roots")
    .addOption(
      new Option("--mode <mode>", "where block numbers come from").choices([...READER_MODES, "TEST"]).default("REST"),
    )
    .option("--address <host:port>", "of the REST endpoint (modes REST and BOTH; default 127.0.0.1:8080)")
    .option("--metrics-address <host:port>", "of health and metrics in modes LOOP and TEST (default: none)")
    .option("--block-numbers-dir <dir>", "directory of the cursor files (default: block_numbers)")
    .option("--json", "mode TEST: print JSON")
    .addOption(new Option("--log-level <level>", "of the log on standard error").choices(LOG_LEVELS).default("info"))
    .action((flags: ReaderFlags) => (flags.mode === "TEST" ? tryEntries(flags) : read(flags, flags.mode)));
  addEnding(command, {
    examples: [
      "cairn reader --mode TEST  # does the list in ./reader.toml work?",
      "cairn reader --config reader.toml --mode LOOP --metrics-address 127.0.0.1:9400",
      "cairn reader --config reader.toml --mode BOTH",
      "curl -X POST 'http://127.0.0.1:8080/add-block-by-number/0x10?chain=mychain'",
      "curl http://127.0.0.1:8080/status  # cursor, head, lag, last error of each entry",
      "cairn reader audit  # what could not be taken, and why",
      "cairn reader backfill mychain 1 1000  # a range of the past",
    ],
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
  const count = config.entries.length === 1 ? "1 entry" : `${config.entries.length} entries`;
  process.stdout.write(`reading ${count}${pushes}${metrics}\n`);
  const close = () => {
    watch.close();
    process.removeListener("SIGHUP", onHangup);
    return reader.close();
  };
  await untilStopped({ failed: new Promise<never>(() => {}), close });
}

async function tryEntries(flags: ReaderFlags): Promise<void> {
  const { entries, warnings, metricsAddress } = readReaderConfig(flags);
  for (const warning of warnings) process.stderr.write(`cairn: ${warning}\n`);
  const tried: ProbeRow[] = [];
  const log = createLog(flags.logLevel);
  const server = metricsAddress === undefined ? undefined : await startProbeServer(metricsAddress, () => tried, log);
  if (server !== undefined)
    process.stderr.write(`cairn: metrics at ${server.url}/metrics while the entries are tried\n`);
  const onRow = (row: ProbeRow) => void tried.push(row);
  const signal = new AbortController().signal;
  const rows = await probeEntries({ entries, openAdapter: adaptersOf(flags), onRow, signal });
  await server?.close();
  process.stdout.write(flags.json === true ? probeJson(rows) : renderProbeTable(rows));
  const failed = rows.filter((row) => !row.ok).length;
  if (failed > 0) throw new CommandError(`${failed} of ${rows.length} failed`);
}
