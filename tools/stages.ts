/** Named child processes run as stages of a check: quiet while they pass, their whole output when they fail. */
import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** A child process with a name. */
export interface Stage {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Passes the output through while it runs. */
  readonly loud?: boolean;
}

/** A JavaScript tool from node_modules, run under this Node.js. */
export function tool(name: string, script: string, ...args: string[]): Stage {
  return { name, program: process.execPath, args: [resolve(ROOT, "node_modules", script), ...args] };
}

/** Runs one stage; resolves with whether it passed. */
export async function runStage(stage: Stage): Promise<boolean> {
  const started = performance.now();
  const child = spawn(stage.program, stage.args, {
    cwd: stage.cwd ?? ROOT,
    env: { ...process.env, ...stage.env },
    stdio: stage.loud ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number>((done) => {
    child.on("error", (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      done(1);
    });
    child.on("close", (status) => done(status ?? 1));
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${stage.name} (${seconds} s)`);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}

/** Runs the stages side by side, at most `width` at once; true when all passed. */
export async function runStages(stages: readonly Stage[], width: number): Promise<boolean> {
  const waiting = [...stages];
  let passed = true;
  const worker = async () => {
    for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
      if (!(await runStage(stage))) passed = false;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return passed;
}
