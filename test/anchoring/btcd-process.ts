/** A real btcd on loopback, for one test. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type BitcoinRpc, createBitcoinRpc } from "@cairn/bitcoin-node";
import { outsideTool } from "./outside-tool.ts";

/** Where btcd is; undefined: not installed. */
export const BTCD = outsideTool("CAIRN_BTCD", "go/bin/btcd");

/** Why suites with btcd are skipped; false: they run. */
export const skipBtcd = BTCD === undefined ? "btcd v0.26.0 is not installed" : false;

/** A running btcd on regtest. */
export interface Btcd {
  /** With credentials. */
  readonly url: string;
  readonly rpc: BitcoinRpc;
  /** SIGTERM; resolves when it is gone. Regtest data is deleted at the next start. */
  stop(): Promise<void>;
}

/** Starts btcd with its indexes; blocks it generates pay `miningAddress`. */
export async function startBtcd(o: {
  readonly dir: string;
  readonly miningAddress: string;
  readonly port?: number;
}): Promise<Btcd> {
  const port = o.port ?? (await freePort());
  const flags = ["--regtest", "--notls", "--rpcuser=u", "--rpcpass=p", `--rpclisten=127.0.0.1:${port}`, "--nolisten"];
  const places = [`--datadir=${o.dir}/btcd`, `--logdir=${o.dir}/log`, `--configfile=${o.dir}/none`];
  const child = spawn(
    BTCD ?? "btcd",
    [...flags, ...places, "--txindex", "--addrindex", `--miningaddr=${o.miningAddress}`],
    { stdio: "ignore" },
  );
  const url = `http://u:p@127.0.0.1:${port}`;
  const rpc = createBitcoinRpc({ url });
  await answering(rpc, child);
  return { url, rpc, stop: () => stopped(child) };
}

async function answering(rpc: BitcoinRpc, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000;
  while ((await rpc.getBlockCount().catch(() => undefined)) === undefined) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error("btcd does not answer");
    await pause(50);
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
