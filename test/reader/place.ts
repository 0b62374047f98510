/** A home of `cairn reader`, with a submission door of its own: runs its commands and starts it as a process. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ROOT } from "../../tools/stages.ts";
import { runCairn } from "../e2e/cairn-process.ts";
import { type Door, startDoor } from "./door.ts";

/** How `cairn` is run from its sources. */
export const FLAGS = [
  "--conditions=cairn-source",
  "--disable-warning=ExperimentalWarning",
  join(ROOT, "packages/cli/src/main.ts"),
];

export interface Place {
  readonly dir: string;
  readonly door: Door;
  write(entries: readonly unknown[], more?: object): void;
  /** Runs a command below `reader` to its end. */
  run(...args: string[]): ReturnType<typeof runCairn>;
  start(mode: string, ...args: string[]): { readonly child: ChildProcess; log(): string; stopped(): Promise<void> };
}

/** A home with a door, cleared away at the test's end. */
export async function place(t: TestContext): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), "cairn-reader-"));
  const door = await startDoor();
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children)
      if (child.exitCode === null && child.signalCode === null) await ended(child, "SIGKILL");
    await door.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    dir,
    door,
    write(entries, more = {}) {
      const config = { service_url: door.url, service_token: "t", address: "127.0.0.1:0", ...more };
      writeFileSync(join(dir, "reader.toml"), JSON.stringify({ ...config, block_fetch_params: entries }));
    },
    run: (...args) => runCairn(["reader", ...args, "--home", dir]),
    start(mode, ...args) {
      const child = spawn(process.execPath, [...FLAGS, "reader", "--home", dir, "--mode", mode, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      const output: Buffer[] = [];
      child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
      child.stderr?.on("data", (chunk: Buffer) => output.push(chunk));
      return { child, log: () => Buffer.concat(output).toString(), stopped: () => ended(child, "SIGTERM") };
    },
  };
}

/** Ends a child and waits for it. */
export function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill(signal);
  return gone;
}
