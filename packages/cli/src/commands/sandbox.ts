/** `cairn sandbox`: the chain node, the proof service, the reader and a Bitcoin regtest in one process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { integerOption } from "../integer-option.ts";
import { createLog, LOG_LEVELS, type LogLevel } from "../log.ts";
import { addNodeFlags, givenNodeFlags } from "../node-flags.ts";
import { LOOPBACK, MAX_PORT_OFFSET, sandboxPorts } from "../sandbox/ports.ts";
import { DEFAULT_SANDBOX_HOME } from "../sandbox/ready.ts";
import { runSandbox, type SandboxBitcoin } from "../sandbox/run.ts";
import { untilStopped } from "../stop.ts";

interface SandboxFlags extends Readonly<Record<string, unknown>> {
  readonly home: string;
  readonly ephemeral?: boolean;
  readonly portOffset: number;
  readonly readyFile?: string;
  readonly sandboxRate: number;
  readonly logLevel: LogLevel;
  readonly bitcoin: SandboxNetwork;
  readonly bitcoinRpc?: string;
  readonly json?: boolean;
}

const NETWORKS = ["embedded", "regtest", "testnet4", "signet", "mainnet"] as const;
type SandboxNetwork = (typeof NETWORKS)[number];

const ENDING: Ending = {
  examples: [
    "cairn sandbox",
    "cairn sandbox --ephemeral --port-offset 100 --ready-file /tmp/ready.json",
    "cairn sandbox --home ./signet --bitcoin signet --bitcoin-rpc http://user:password@127.0.0.1:38332",
  ],
  notes: ["State lives in --home and survives restarts. SIGINT or SIGTERM stops it cleanly."],
  codes: "0 stopped, 1 failed, 2 wrong usage",
};

/** Adds the command to the program. */
export function addSandboxCommand(program: Command): void {
  const command = program
    .command("sandbox")
    .description("run the whole of Cairn in one process: node, service, reader, Bitcoin regtest")
    .addOption(
      new Option("--home <dir>", "state directory (or CAIRN_HOME)").default(
        process.env.CAIRN_HOME ?? DEFAULT_SANDBOX_HOME,
        DEFAULT_SANDBOX_HOME,
      ),
    )
    .option("--ephemeral", "use a temporary home that is removed at the end")
    .option("--port-offset <n>", "shift all ports by n", integerOption(0, MAX_PORT_OFFSET), 0)
    .option("--ready-file <path>", "write a JSON object with all addresses and secrets once everything answers")
    .option("--sandbox-rate <n>", "submissions per minute and key, 0 for no limit", integerOption(0, 10_000_000), 1200)
    .addOption(new Option("--bitcoin <network>", "where anchors go").choices(NETWORKS).default("embedded"))
    .option("--bitcoin-rpc <urls>", "RPC of Bitcoin nodes on that network, separated by commas (or CAIRN_BITCOIN_RPC)")
    .addOption(new Option("--log-level <level>", "of the log on standard error").choices(LOG_LEVELS).default("warn"))
    .option("--json", "print the object of --ready-file instead of the text")
    .action(sandbox);
  addEnding(addNodeFlags(command), ENDING);
}

/** Which Bitcoin is meant: another network needs a node. */
function bitcoinOf({ bitcoin, bitcoinRpc = process.env.CAIRN_BITCOIN_RPC }: SandboxFlags): SandboxBitcoin | undefined {
  if (bitcoin === "embedded") {
    if (bitcoinRpc === undefined) return undefined;
    throw new CommandError("--bitcoin-rpc needs --bitcoin: the network its node is on", EXIT.usage);
  }
  const urls = (bitcoinRpc ?? "").split(",").filter((url) => url !== "");
  if (urls.length === 0) throw new CommandError(`--bitcoin ${bitcoin} needs --bitcoin-rpc: a node's URL`, EXIT.usage);
  if (!urls.every((url) => /^https?:\/\//.test(url) && URL.canParse(url))) {
    throw new CommandError("--bitcoin-rpc is no http or https URL", EXIT.usage);
  }
  return { network: bitcoin, urls };
}

/** The listeners of a shifted sandbox; without a shift app.toml, environment and defaults decide. */
function portFlags(offset: number): Readonly<Record<string, string>> {
  if (offset === 0) return {};
  const ports = sandboxPorts(offset);
  return {
    "json-rpc.address": `${LOOPBACK}:${ports.jsonRpc}`,
    "json-rpc.ws-address": `${LOOPBACK}:${ports.jsonRpcWs}`,
    "rpc.laddr": `tcp://${LOOPBACK}:${ports.consensusRpc}`,
  };
}

async function sandbox(flags: SandboxFlags): Promise<void> {
  const home = flags.ephemeral === true ? mkdtempSync(join(tmpdir(), "cairn-sandbox-")) : resolve(flags.home);
  try {
    const running = await runSandbox({
      home,
      ports: sandboxPorts(flags.portOffset),
      nodeFlags: { ...portFlags(flags.portOffset), ...givenNodeFlags(flags) },
      bitcoin: bitcoinOf(flags),
      submissionsPerMinute: flags.sandboxRate,
      readyFile: flags.readyFile,
      log: createLog(flags.logLevel),
    });
    process.stdout.write(flags.json === true ? `${JSON.stringify(running.ready)}\n` : running.banner);
    await untilStopped(running);
  } finally {
    if (flags.ephemeral === true) rmSync(home, { recursive: true, force: true });
  }
}
