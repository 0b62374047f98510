/** Starts the parts of a sandbox in their order and stops them in the reverse one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadNodeConfig, pinnedSettings, type RunningNode, startNode } from "@cairn/node";
import { type RunningReader, startReader, validateReaderConfig } from "@cairn/reader";
import {
  finalDepth,
  type RunningService,
  resolveServiceConfig,
  type ServiceOptions,
  startService,
} from "@cairn/service";
import type { Logger } from "pino";
import { writeDurableFile } from "../durable-file.ts";
import { CommandError } from "../exit-code.ts";
import { levelOf } from "../log.ts";
import type { Stoppable } from "../stop.ts";
import { VERSION } from "../version.ts";
import { renderBanner } from "./banner.ts";
import { FUNDED_ACCOUNT } from "./funded-account.ts";
import { openSandboxHome, type SandboxHome } from "./home.ts";
import { LOOPBACK, type SandboxPorts } from "./ports.ts";
import { sandboxEntries } from "./reader-entries.ts";
import { type Ready, readyPath } from "./ready.ts";

/** Another Bitcoin network than the embedded regtest. */
export interface SandboxBitcoin {
  readonly network: "regtest" | "testnet4" | "signet" | "mainnet";
  /** With credentials. */
  readonly urls: readonly string[];
}

/** How a sandbox is run. */
export interface SandboxOptions {
  readonly home: string;
  readonly ports: SandboxPorts;
  /** Settings of the node by key, as text; they win over app.toml. */
  readonly nodeFlags: Readonly<Record<string, string>>;
  /** Undefined: the embedded regtest. */
  readonly bitcoin: SandboxBitcoin | undefined;
  /** 0: no limit. */
  readonly submissionsPerMinute: number;
  readonly readyFile: string | undefined;
  readonly log: Logger;
}

/** A sandbox that answers. */
export interface RunningSandbox extends Stoppable {
  readonly ready: Ready;
  readonly banner: string;
}

/** Time between Bitcoin regtest blocks. */
const BITCOIN_INTERVAL_MS = 1000;

/** Starts everything; what had started is closed again when a later part fails. */
export async function runSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const startedMs = performance.now();
  const home = await openSandboxHome(options.home);
  const parts: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of parts.splice(0).reverse()) await part.close();
  };
  try {
    const node = await startSandboxNode(options, home);
    parts.push(node);
    const service = await startSandboxService(options, home, node);
    parts.push(service);
    const reader = await startSandboxReader(options, home, node, service);
    parts.push(reader);
    const ready = describe(home, node, service, reader);
    const text = `${JSON.stringify(ready, null, 2)}\n`;
    writeDurableFile(readyPath(home.dir), text);
    if (options.readyFile !== undefined) writeDurableFile(options.readyFile, text);
    const banner = renderBanner(ready, {
      version: VERSION,
      bitcoin: options.bitcoin === undefined ? undefined : { ...options.bitcoin, address: service.anchorAddress },
      seconds: (performance.now() - startedMs) / 1000,
      fundedAddress: FUNDED_ACCOUNT.address,
      command: process.env.CAIRN_COMMAND ?? "cairn",
      exampleBody: process.env.CAIRN_EXAMPLE,
    });
    return { ready, banner, failed: Promise.race([node.failed, service.failed]), close };
  } catch (error) {
    await close();
    throw isTakenPort(error)
      ? new CommandError(`${error.message} (--port-offset N moves all ports of a sandbox)`)
      : error;
  }
}

const TAKEN = new Set(["EADDRINUSE", "address-in-use", "listen-failed"]);

function isTakenPort(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string" && TAKEN.has(error.code);
}

async function startSandboxNode(options: SandboxOptions, home: SandboxHome): Promise<RunningNode> {
  const sources = { env: process.env, flags: options.nodeFlags };
  const config = await loadNodeConfig({ home: home.dir, ...sources });
  const log = options.log.child({ part: "node" });
  return startNode({ home: home.dir, config, pinned: pinnedSettings(sources), log, ...levelOf(log) });
}

function startSandboxService(options: SandboxOptions, home: SandboxHome, node: RunningNode): Promise<RunningService> {
  return startService({
    home: home.dir,
    environment: "sandbox",
    listen: { host: LOOPBACK, port: options.ports.service },
    nodeRpcUrl: node.jsonRpcUrl,
    consensusRpcUrl: node.consensusRpcUrl,
    settlerKey: home.settlerKey,
    anchorKey: home.anchorKey,
    ...anchoring(options),
    submissionsPerMinute: options.submissionsPerMinute,
    token: home.serviceToken,
    readerToken: home.readerToken,
    log: options.log.child({ part: "service" }),
  });
}

/** A regtest is quick; on other networks blocks and fees set the pace. */
function anchoring({ bitcoin, ports }: SandboxOptions): Pick<ServiceOptions, "bitcoin" | "policy" | "fees"> {
  const batches = { batchIntervalMs: 2000, batchSlots: 512 };
  if (bitcoin === undefined) {
    return {
      bitcoin: { kind: "embedded", host: LOOPBACK, port: ports.bitcoin, blockIntervalMs: BITCOIN_INTERVAL_MS },
      policy: { ...batches, anchorPeriodMs: 5000, finalDepth: 3 },
    };
  }
  const isQuick = bitcoin.network === "regtest";
  const config = resolveServiceConfig({ flags: { "bitcoin.network": bitcoin.network } });
  return {
    bitcoin: { kind: "rpc", ...bitcoin },
    policy: { ...batches, anchorPeriodMs: isQuick ? 5000 : config["anchor.period"], finalDepth: finalDepth(config) },
  };
}

function startSandboxReader(
  options: SandboxOptions,
  home: SandboxHome,
  node: RunningNode,
  service: RunningService,
): Promise<RunningReader> {
  const config = {
    service_url: service.url,
    service_token: home.readerToken,
    address: `${LOOPBACK}:${options.ports.reader}`,
    block_numbers_dir: "block_numbers",
    block_fetch_params: sandboxEntries(Number(node.evmChainId), node.jsonRpcUrl),
  };
  // For `cairn reader audit` and its kin with this home.
  writeDurableFile(join(home.dir, "reader.json"), `${JSON.stringify(config, null, 2)}\n`);
  return startReader({
    config: validateReaderConfig({ ...config, block_numbers_dir: join(home.dir, "block_numbers") }),
    mode: "BOTH",
    stateDir: join(home.dir, "reader"),
    log: options.log.child({ part: "reader" }),
  });
}

function describe(home: SandboxHome, node: RunningNode, service: RunningService, reader: RunningReader): Ready {
  return {
    json_rpc_url: node.jsonRpcUrl,
    json_rpc_ws_url: node.jsonRpcWsUrl,
    consensus_rpc_url: node.consensusRpcUrl,
    reader_url: reader.url ?? "",
    service_url: service.url,
    bitcoin_rpc_url: service.bitcoinRpcUrl,
    service_token: home.serviceToken,
    operator_token: readFileSync(join(home.dir, "config/operator.token"), "utf8").trim(),
    funded_private_key: FUNDED_ACCOUNT.privateKey,
    evm_chain_id: Number(node.evmChainId),
    jwt_secret_file: join(home.dir, "config/jwt.hex"),
    home: home.dir,
  };
}
