/** For tests: foundry's anvil as a peer, when its package is installed for this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { answering, freePort, type GethNode } from "./geth-node.ts";

const ARCHES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** The binary, where the package manager put it. */
export function findAnvil(): string | undefined {
  const root = dirname(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  const name = `anvil-${process.platform}-${ARCHES[process.arch] ?? process.arch}`;
  const path = join(root, "..", name, "bin", "anvil");
  return existsSync(path) ? path : undefined;
}

/** Starts anvil with the accounts of our sandbox and a block per transaction; waits for at most twenty seconds. */
export async function startAnvil(binary: string): Promise<GethNode> {
  const port = await freePort();
  const chain = ["--chain-id", "358587", "--gas-limit", "100000000", "--hardfork", "prague"];
  const child = spawn(binary, ["--port", String(port), "--silent", ...chain], { stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return answering(url, "anvil", close);
}
