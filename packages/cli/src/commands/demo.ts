/** `cairn demo`: a rollup's root on the sandbox's chain, for its reader to find. */
import { randomBytes } from "node:crypto";
import { DEMO_DEPLOYER_SEED, DEMO_ROLLUP_ADDRESS, demoRollupCreationCode, encodePublishCall } from "@cairn/contracts";
import { keyAddress } from "@cairn/keystore";
import { bytesToHex, hexToBytes, keccak256, sha256 } from "@cairn/primitives";
import { createServiceClient, type ServiceClient } from "@cairn/sdk";
import type { Command } from "commander";
import { type ConnectionFlags, sandboxOf } from "../connection.ts";
import { type ChainSender, createChainSender, type Mined } from "../demo/sender.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { followProof } from "../follow-proof.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { FUNDED_ACCOUNT } from "../sandbox/funded-account.ts";
import { DEMO_CHAIN } from "../sandbox/reader-entries.ts";

interface DemoFlags extends ConnectionFlags {
  readonly root?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const ENDING: Ending = {
  examples: ["cairn demo --watch"],
  notes: [
    "A small contract on the sandbox's chain emits RootPublished(batch, root); the sandbox's reader follows it and submits",
    `the root as a commitment of chain ${DEMO_CHAIN}. The contract is deployed at the first use.`,
  ],
  codes: "0 submitted by the reader (with --watch: final), 1 failed, 2 wrong usage",
};

const DEPLOY_GAS = 500_000n;
const PUBLISH_GAS = 100_000n;
const FUNDS_WEI = 10n ** 18n;
const PATIENCE_MS = 60_000;
const POLL_MS = 200;

/** Adds the command to the program. */
export function addDemoCommand(program: Command): void {
  const command = program
    .command("demo")
    .description("publish a root on the sandbox's chain and see its reader submit it")
    .option("--home <dir>", "home of the sandbox (or CAIRN_HOME)")
    .option("--root <hex>", "32 bytes of 0x-hex (default: random)")
    .option("--watch", "wait until the submission is final")
    .option("--json", "print a JSON object")
    .action(demo);
  addEnding(command, ENDING);
}

async function demo(flags: DemoFlags): Promise<void> {
  const { home, ready } = sandboxOf(flags);
  if (ready === undefined)
    throw new CommandError(`no sandbox has run in ${home}: start one with cairn sandbox`, EXIT.usage);
  const root = readRoot(flags.root);
  const chain = createChainSender(ready.json_rpc_url);
  const say = (text: string) => {
    if (flags.json !== true) process.stdout.write(`${text}\n`);
  };
  if (await deploy(chain)) say(`deployed   DemoRollup at ${DEMO_ROLLUP_ADDRESS}`);
  const { hash, blockNumber } = await publish(chain, root);
  say(`published  root ${bytesToHex(root)} in block ${blockNumber}`);
  const client = createServiceClient({ url: ready.service_url, token: ready.service_token });
  const id = await submitted(client, root);
  say(`submitted  ${id} by the reader, as a commitment of chain ${DEMO_CHAIN}`);
  if (flags.json === true) {
    const body = { root: bytesToHex(root), transaction: hash, block_number: `${blockNumber}`, submission_id: id };
    process.stdout.write(`${JSON.stringify({ ...body, contract: DEMO_ROLLUP_ADDRESS, chain_id: DEMO_CHAIN })}\n`);
  }
  if (flags.watch === true) await followProof(client, id, flags.json === true);
}

function readRoot(text: string | undefined): Uint8Array {
  if (text === undefined) return randomBytes(32);
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new CommandError("--root: expected 32 bytes of 0x-hex", EXIT.usage);
  return hexToBytes(text);
}

/** Deploys the contract unless it is there; its address follows from the deployer's first nonce. */
async function deploy(chain: ChainSender): Promise<boolean> {
  if ((await chain.code(DEMO_ROLLUP_ADDRESS)) !== "0x") return false;
  const key = keccak256(new TextEncoder().encode(DEMO_DEPLOYER_SEED));
  const deployer = keyAddress(key);
  if ((await chain.balance(deployer)) < FUNDS_WEI / 2n) {
    const funds = { to: deployer, data: new Uint8Array(0), valueWei: FUNDS_WEI, gasLimit: 21_000n };
    await chain.send(hexToBytes(FUNDED_ACCOUNT.privateKey), funds);
  }
  await chain.send(key, { to: null, data: demoRollupCreationCode(), valueWei: 0n, gasLimit: DEPLOY_GAS });
  if ((await chain.code(DEMO_ROLLUP_ADDRESS)) !== "0x") return true;
  throw new CommandError("the deployer's first transaction was another one: start over with a fresh sandbox home");
}

function publish(chain: ChainSender, root: Uint8Array): Promise<Mined> {
  const call = { to: DEMO_ROLLUP_ADDRESS, data: encodePublishCall(root), valueWei: 0n, gasLimit: PUBLISH_GAS };
  return chain.send(hexToBytes(FUNDED_ACCOUNT.privateKey), call);
}

/** The id of the reader's submission: the latest with this value. */
async function submitted(client: ServiceClient, root: Uint8Array): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const { items } = await client.listProofs({ chain_id: DEMO_CHAIN, proof_hash: bytesToHex(sha256(root)), limit: 1 });
    if (items[0] !== undefined) return items[0].id;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new CommandError(`the reader has not submitted ${bytesToHex(root)} within ${PATIENCE_MS / 1000} s`);
}
