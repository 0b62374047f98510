/** Runs a suite written in another language: a program that prints one JSON line per check. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { TestContext } from "node:test";
import { counter, type LiveNode } from "./live-node.ts";

interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail?: string;
}

/** What to run. */
export interface OutsideSuite {
  readonly program: string;
  readonly args?: readonly string[];
  /** Fewer checks than this mean that the suite broke off. */
  readonly atLeast: number;
}

/** Runs it against the node; every check becomes a subtest. */
export async function runOutsideSuite(t: TestContext, node: LiveNode, suite: OutsideSuite): Promise<void> {
  const environment = {
    ...process.env,
    RPC_URL: node.httpUrl,
    WS_URL: node.wsUrl,
    PRIVATE_KEY: await node.freshKey(),
    COUNTER_CODE: counter.bytecode,
    COUNTER_ABI: JSON.stringify(counter.abi),
  };
  const { stdout, stderr } = await output(suite, environment);
  const checks: Check[] = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  for (const { check, ok, detail } of checks) {
    await t.test(check, () => assert.ok(ok, detail));
  }
  assert.ok(checks.length >= suite.atLeast, `only ${checks.length} checks ran:\n${stderr}`);
}

function output(suite: OutsideSuite, env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(suite.program, suite.args ?? [], { env, timeout: 150_000 }, (error, stdout, stderr) => {
      resolve({ stdout, stderr: `${stderr}${error === null ? "" : error.message}` });
    });
  });
}
