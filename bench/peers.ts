/** The nodes that are compared, each as its own process on loopback: `cairn sandbox`, foundry's anvil, geth --dev. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, temporaryHome } from "../test/e2e/cairn-process.ts";
import { freePort } from "../test/e2e/free-port.ts";
import { until } from "../test/e2e/until.ts";
import { ROOT } from "../tools/stages.ts";

/** One running node. */
export interface Peer {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly chainId: number;
  /** geth has no funded accounts of our mnemonic, but one that it signs for. */
  readonly funder?: string;
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

/** All peers that are here; a missing one is named on standard error. One-second blocks, 100 million gas. */
export async function startPeers(): Promise<readonly Peer[]> {
  const peers = [startCairn(), startAnvil(), startGeth()];
  return (await Promise.all(peers)).filter((peer) => peer !== undefined);
}

async function startCairn(): Promise<Peer> {
  const home = temporaryHome();
  const sandbox = await startSandbox({ home });
  return {
    name: "cairn",
    url: sandbox.ready.json_rpc_url,
    pid: sandbox.child.pid ?? 0,
    chainId: sandbox.ready.evm_chain_id,
    async close() {
      await sandbox.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const PEER_CHAIN_ID = 1337;
const MEMPOOL = ["accountslots", "globalslots", "accountqueue", "globalqueue"].map((name) => `--txpool.${name}=100000`);

async function startAnvil(): Promise<Peer | undefined> {
  const binary = join(ROOT, `node_modules/@foundry-rs/anvil-${process.platform}-${ARCHES[process.arch]}/bin/anvil`);
  if (!existsSync(binary)) return missing("anvil", "npm ci brings it");
  const port = await freePort();
  const flags = ["--port", `${port}`, "--chain-id", `${PEER_CHAIN_ID}`, "--block-time", "1", "--silent"];
  const child = spawn(binary, [...flags, "--gas-limit", "100000000", "--balance", "1000000"], { stdio: "ignore" });
  return ready("anvil", child, port);
}

const ARCHES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

async function startGeth(): Promise<Peer | undefined> {
  const binary = process.env.CAIRN_GETH;
  if (binary === undefined) return missing("geth", "npm run bench installs it where Go is");
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "cairn-geth-"));
  const http = ["--http", "--http.port", `${port}`, "--http.api", "eth,net,web3,debug,txpool", "--verbosity", "1"];
  const dev = ["--dev", "--dev.period", "1", "--dev.gaslimit", "100000000", "--datadir", dir, "--port", "0"];
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
