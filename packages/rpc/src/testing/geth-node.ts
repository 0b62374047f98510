/** For tests: go-ethereum as a peer, when its binary is there. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { EthGenesis } from "@cairn/chain";

/** The geth binary: named by CAIRN_GETH, on the PATH, or where `go install` with our cache puts it. */
function findGeth(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), join(homedir(), ".cache", "cairn", "go", "geth")];
  const candidates = [process.env.CAIRN_GETH ?? "", ...folders.map((folder) => join(folder, "geth"))];
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== "";
    } catch {
      return false;
    }
  });
}

/** The binary of the peer. */
export const gethBinary = findGeth();

/** The `skip` of a test that needs geth: false, or why it cannot run. */
export const skipWithoutGeth = gethBinary === undefined ? "no geth binary (set CAIRN_GETH or install v1.17.5)" : false;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A running development chain. */
export interface GethNode {
  rpc(method: string, ...params: unknown[]): Promise<RpcAnswer>;
  close(): Promise<void>;
}

/** A parsed reply. */
export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One call of a node. */
export async function callNode(url: string, method: string, params: readonly unknown[]): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()) as RpcAnswer;
}

/** The node at `url` once it answers; ended after twenty seconds without an answer. */
export async function answering(url: string, name: string, close: () => Promise<void>): Promise<GethNode> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const up = await callNode(url, "eth_accounts", []).catch(() => undefined);
    if (up?.result !== undefined) return { rpc: (method, ...params) => callNode(url, method, params), close };
    if (performance.now() > deadline) {
      await close();
      throw new Error(`${name} does not answer`);
    }
    await delay(50);
  }
}

/** Prague from block 0 on, with the alloc of our genesis: the peer's newest rules would count gas otherwise. */
function gethGenesis(genesis: EthGenesis): string {
  const forks = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg", "istanbul"];
  const blocks = [...forks, "berlin", "london"].map((fork) => [`${fork}Block`, 0]);
  const blobs = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 };
  const config = {
    chainId: genesis.chainId,
    ...Object.fromEntries(blocks),
    ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
    blobSchedule: { cancun: blobs, prague: blobs },
  };
  const { gasLimit, baseFeePerGas, alloc } = genesis;
  const limit = `0x${gasLimit.toString(16)}`;
  return JSON.stringify({ config, difficulty: "0x0", gasLimit: limit, baseFeePerGas, alloc, timestamp: "0x1" });
}

/** Starts `geth --dev` on a free port and waits until it answers, for at most twenty seconds. */
export async function startGeth(binary: string, genesis: EthGenesis): Promise<GethNode> {
  const dir = await mkdtemp(join(tmpdir(), "cairn-geth-"));
  const port = await freePort();
  await writeFile(join(dir, "genesis.json"), gethGenesis(genesis));
  // States are kept, with the addresses and slots behind their keys.
  const archive = ["--state.scheme", "hash", "--cache.preimages"];
  await promisify(execFile)(binary, ["init", ...archive, "--datadir", dir, join(dir, "genesis.json")]);
  const flags = [
    "--dev",
    "--gcmode",
    "archive",
    ...archive,
    "--dev.gaslimit",
    "100000000",
    "--rpc.gascap",
    "100000000",
    "--datadir",
    dir,
    "--ipcdisable",
    "--nodiscover",
  ];
  const http = ["--http", "--http.port", String(port), "--http.api", "eth,debug,net,web3"];
  const quiet = ["--verbosity", "0", "--port", "0", "--authrpc.port", String(await freePort())];
  const env = { ...process.env, TMPDIR: dir };
  const child = spawn(binary, [...flags, ...http, ...quiet], { stdio: "ignore", env });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  return answering(url, "geth", close);
}
