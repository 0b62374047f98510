/** `cairn init` and `cairn start`: a chain node without the service. */
import { initNodeHome, loadNodeConfig, nodeHome, pinnedSettings, startNode } from "@cairn/node";
import type { Address } from "@cairn/primitives";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addEnding } from "../help-ending.ts";
import { addHomeOption } from "../home-option.ts";
import { integerOption } from "../integer-option.ts";
import { createLog, LOG_LEVELS, type LogLevel, levelOf } from "../log.ts";
import { addNodeFlags, givenNodeFlags } from "../node-flags.ts";
import { untilStopped } from "../stop.ts";

interface InitFlags {
  readonly home: string;
  readonly evmChainId: number;
  readonly moniker: string;
  readonly fund: Readonly<Record<Address, bigint>>;
  readonly owner?: Address;
  readonly json?: boolean;
}

interface StartFlags extends Readonly<Record<string, unknown>> {
  readonly home: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
}

/** Adds both commands to the program. */
export function addNodeCommands(program: Command): void {
  addInit(program.command("init"));
  const start = addHomeOption(program.command("start"), "node")
    .description("run the chain node of a home")
    .addOption(new Option("--log-level <level>", "of the log on standard error").choices(LOG_LEVELS).default("info"))
    .option("--json", "print a JSON object with the addresses once it listens")
    .action(runNode);
  addEnding(addNodeFlags(start), {
    examples: ["cairn start --home ./node1 --json-rpc.api eth,net,web3,txpool"],
    codes: "0 stopped, 1 failed, 2 wrong usage",
  });
}

function addInit(command: Command): void {
  const fund = new Option("--fund <address=coins>", "give an account whole coins in the genesis (repeatable)");
  addHomeOption(command, "node")
    .description("make a home for a new chain with one validator")
    .option("--evm-chain-id <n>", "EVM chain id", integerOption(1, Number.MAX_SAFE_INTEGER), 358_587)
    .option("--moniker <name>", "name of the node", "cairn")
    .addOption(fund.argParser(collectFunds).default({}, "nobody"))
    .option("--owner <address>", "owner of the predeployed contracts and operator of the validator", addressOption)
    .option("--json", "print a JSON object")
    .action(init);
  addEnding(command, {
    examples: [
      "cairn init --home ./node1 --evm-chain-id 358587",
      "cairn init --home ./node1 --fund 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266=1000",
    ],
    codes: "0 made, 1 failed, 2 wrong usage",
  });
}

function addressOption(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new InvalidArgumentError("expected an address");
  return text.toLowerCase() as Address;
}

function collectFunds(text: string, known: InitFlags["fund"]): InitFlags["fund"] {
  const [, address = "", coins] = /^(0x[0-9a-fA-F]{40})=(\d{1,12})$/.exec(text) ?? [];
  if (coins === undefined) throw new InvalidArgumentError("expected ADDRESS=COINS");
  return { ...known, [address.toLowerCase()]: BigInt(coins) * 10n ** 18n };
}

async function init(flags: InitFlags): Promise<void> {
  const { consensusChainId } = await initNodeHome({
    home: flags.home,
    evmChainId: BigInt(flags.evmChainId),
    moniker: flags.moniker,
    balances: flags.fund,
    ...(flags.owner === undefined ? {} : { owner: flags.owner }),
  });
  const facts = { home: flags.home, consensus_chain_id: consensusChainId, genesis: nodeHome(flags.home).genesisFile };
  process.stdout.write(
    flags.json === true ? `${JSON.stringify(facts)}\n` : `made ${flags.home} for chain ${consensusChainId}\n`,
  );
}

async function runNode(flags: StartFlags): Promise<void> {
  const sources = { env: process.env, flags: givenNodeFlags(flags) };
  const config = await loadNodeConfig({ home: flags.home, ...sources });
  const log = createLog(flags.logLevel);
  const node = await startNode({ home: flags.home, config, pinned: pinnedSettings(sources), log, ...levelOf(log) });
  const facts = {
    json_rpc_url: node.jsonRpcUrl,
    json_rpc_ws_url: node.jsonRpcWsUrl,
    consensus_rpc_url: node.consensusRpcUrl,
  };
  const text = `JSON-RPC ${node.jsonRpcUrl} ${node.jsonRpcWsUrl}, consensus RPC ${node.consensusRpcUrl}`;
  process.stdout.write(`${flags.json === true ? JSON.stringify(facts) : text}\n`);
  await untilStopped(node);
}
