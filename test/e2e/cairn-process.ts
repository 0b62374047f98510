/** The real `cairn` command as a child process on loopback, as a user runs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ready } from "../../packages/cli/src/sandbox/ready.ts";
import { ROOT } from "../../tools/stages.ts";
import { until } from "./until.ts";

const MAIN = join(ROOT, "packages/cli/src/main.ts");
const FLAGS = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
const BASE_PORTS = [8545, 8546, 26_657, 8080, 8090, 18_443];

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function runCairn(args: readonly string[], cwd: string = ROOT): Promise<Finished> {
  const child = spawn(process.execPath, [...FLAGS, MAIN, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? 1)));
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

export interface SandboxProcess {
  readonly ready: Ready;
  readonly home: string;
  readonly portOffset: number;
  readonly child: ChildProcess;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number>;
}

export interface SandboxStart {
  readonly home?: string;
  readonly portOffset?: number;
  readonly args?: readonly string[];
}

/** Starts `cairn sandbox` and waits for its ready file; where the offset is ours to choose, another when a port is lost. */
export async function startSandbox({
  home = temporaryHome(),
  portOffset,
  args = [],
}: SandboxStart = {}): Promise<SandboxProcess> {
  if (portOffset !== undefined) return startAt(portOffset, home, args);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startAt(await freeOffset(), home, args);
    } catch (error) {
      if (attempt === START_ATTEMPTS || !String(error).includes("EADDRINUSE")) throw error;
    }
  }
}

const START_ATTEMPTS = 3;

async function startAt(offset: number, home: string, args: readonly string[]): Promise<SandboxProcess> {
  const readyFile = join(home, "ready-for-test.json");
  rmSync(readyFile, { force: true });
  const flags = ["--home", home, "--port-offset", `${offset}`, "--ready-file", readyFile, "--sandbox-rate", "0"];
  const child = spawn(process.execPath, [...FLAGS, MAIN, "sandbox", ...flags, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const gone = new Promise<number>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? (signal ? 128 : 1))),
  );
  await until(
    "the sandbox is ready",
    () => {
      if (child.exitCode !== null) throw new Error(`the sandbox ended:\n${Buffer.concat(output).toString()}`);
      return existsSync(readyFile);
    },
    60_000,
  );
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return gone;
  };
  return {
    ready: JSON.parse(readFileSync(readyFile, "utf8")),
    home,
    portOffset: offset,
    child,
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}

/** A new directory for a sandbox. */
export function temporaryHome(): string {
  return mkdtempSync(join(tmpdir(), "cairn-e2e-"));
}

/** Below the ports that systems give to outgoing connections: nobody takes one of these between a look and a start. */
const MAX_OFFSET = 32_768 - Math.max(...BASE_PORTS);

/** An offset at which all ports of a sandbox are free. */
export async function freeOffset(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const offset = 1000 + Math.floor(Math.random() * (MAX_OFFSET - 1000));
    const free = await Promise.all(BASE_PORTS.map((port) => isFree(port + offset)));
    if (free.every(Boolean)) return offset;
  }
  throw new Error("no free ports");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
