/** The nodes that are compared, each as its own process on loopback: `cairn sandbox`, foundry's anvil, geth --dev. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SandboxProcess, startSandbox, temporaryHome } from "../test/e2e/cairn-process.ts";
import { freePort } from "../test/e2e/free-port.ts";
import { until } from "../test/e2e/until.ts";
import { ROOT } from "../tools/stages.ts";

/** One running node. */
export interface Peer {
  readonly name: string;
  readonly url: string;
  readonly wsUrl?: string;
  readonly pid: number;
  readonly chainId: number;
  /** geth has no funded accounts of our mnemonic, but one that it signs for. */
  readonly funder?: string;
  /** The same chain with a block a second. */
  calm?(): Promise<Peer>;
  close(): Promise<void>;
}

/** A call that must succeed. */
export async function rpc<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const reply = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = (await reply.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/**
 * All peers that are here; a missing one is named on standard error. 100 million gas; a block a second, or, for long
 * chains, blocks as fast as they come: each transaction its own (geth, anvil), one every few milliseconds (Cairn).
 */
export async function startPeers({ fast = false }: { readonly fast?: boolean } = {}): Promise<readonly Peer[]> {
  const peers = [startCairn(fast), startAnvil(fast), startGeth(fast)];
  return (await Promise.all(peers)).filter((peer) => peer !== undefined);
}

/** A sandbox; with `fast` a block every two milliseconds until it is calmed. */
export async function startCairn(fast: boolean): Promise<Peer> {
  const home = temporaryHome();
  const args = fast ? ["--consensus.block-interval", "2ms"] : [];
  return cairnPeer(home, await startSandbox({ home, args }));
}

function cairnPeer(home: string, sandbox: SandboxProcess): Peer {
  return {
    name: "cairn",
    url: sandbox.ready.json_rpc_url,
    wsUrl: sandbox.ready.json_rpc_ws_url,
    pid: sandbox.child.pid ?? 0,
    chainId: sandbox.ready.evm_chain_id,
    async calm() {
      await sandbox.stop();
      return cairnPeer(home, await startSandbox({ home, portOffset: sandbox.portOffset }));
    },
    async close() {
      await sandbox.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const PEER_CHAIN_ID = 1337;
const MEMPOOL = ["accountslots", "globalslots", "accountqueue", "globalqueue"].map((name) => `--txpool.${name}=100000`);

async function startAnvil(fast: boolean): Promise<Peer | undefined> {
  const binary = join(ROOT, `node_modules/@foundry-rs/anvil-${process.platform}-${ARCHES[process.arch]}/bin/anvil`);
  if (!existsSync(binary)) return missing("anvil", "npm ci brings it");
  const port = await freePort();
  const flags = [
    "--port",
    `${port}`,
    "--chain-id",
    `${PEER_CHAIN_ID}`,
    "--silent",
    ...(fast ? [] : ["--block-time", "1"]),
  ];
  const child = spawn(binary, [...flags, "--gas-limit", "100000000", "--balance", "1000000"], { stdio: "ignore" });
  return ready("anvil", child, port);
}

const ARCHES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

async function startGeth(fast: boolean): Promise<Peer | undefined> {
  const binary = process.env.CAIRN_GETH;
  if (binary === undefined) return missing("geth", "npm run bench installs it where Go is");
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "cairn-geth-"));
  const http = ["--http", "--http.port", `${port}`, "--http.api", "eth,net,web3,debug,txpool", "--verbosity", "1"];
  const dev = [
    "--dev",
    "--dev.period",
    fast ? "0" : "1",
    "--dev.gaslimit",
    "100000000",
    "--datadir",
    dir,
    "--port",
    "0",
  ];
  const flags = [...dev, ...http, ...MEMPOOL, "--authrpc.port", `${await freePort()}`, "--ipcdisable", "--nodiscover"];
  const peer = await ready("geth", spawn(binary, flags, { stdio: "ignore" }), port);
  const [funder] = await rpc<string[]>(peer.url, "eth_accounts");
  if (funder === undefined) throw new Error("geth has no developer account");
  const close = async () => {
    await peer.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...peer, funder, close };
}

function missing(name: string, how: string): undefined {
  process.stderr.write(`bench: without ${name}: ${how}\n`);
  return undefined;
}

async function ready(name: string, child: ChildProcess, port: number): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`;
  const gone = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const answers = () =>
    rpc(url, "eth_chainId").then(
      () => true,
      () => false,
    );
  await until(`${name} answers`, answers, 60_000);
  const close = () => {
    child.kill("SIGTERM");
    return gone;
  };
  return { name, url, pid: child.pid ?? 0, chainId: PEER_CHAIN_ID, close };
}

/** Processor time a process has used, all threads, in microseconds. Linux only; 0 elsewhere. */
export function cpuMicros(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // After the command name, which may hold spaces: state is field 3, utime and stime are 14 and 15, in 1/100 s.
  const fields = readFileSync(file, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
