/**
 * The whole sandbox on a disk that fills: the chain stops with one clear line, and with room again everything that was
 * acknowledged becomes final, in the chain that was there.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Ready } from "../../packages/cli/src/sandbox/ready.ts";
import { onSmallDisk, withoutSmallDisk } from "../../packages/service/src/testing/small-disk.ts";
import { ROOT } from "../../tools/stages.ts";
import { freeOffset } from "./cairn-process.ts";
import { reached, submit } from "./service-client.ts";
import { until } from "./until.ts";

const MAIN = join(ROOT, "packages/cli/src/main.ts");
const NODE = [process.execPath, "--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", value: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "full",
});

async function blockHash({ json_rpc_url }: Ready, number: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [number, false] });
  const response = await fetch(json_rpc_url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await response.json()) as { readonly result: { readonly hash: string } }).result.hash;
}

test("a sandbox on a full disk", { skip: withoutSmallDisk, timeout: 120_000 }, async (t) => {
  const offset = `${await freeOffset()}`;
  const disk = onSmallDisk(t, "32m", (home, out) => {
    const flags = [
      "--home",
      home,
      "--port-offset",
      offset,
      "--sandbox-rate",
      "0",
      "--ready-file",
      join(out, "ready.json"),
    ];
    return [...NODE, MAIN, "sandbox", ...flags];
  });
  const errors: string[] = [];
  disk.shell.stderr?.on("data", (chunk: Buffer) => errors.push(...String(chunk).trimEnd().split("\n")));
  disk.shell.stdout?.resume();
  const readyFile = join(disk.out, "ready.json");
  const ready = (): Promise<Ready> =>
    until("the sandbox is ready", () => existsSync(readyFile) && JSON.parse(readFileSync(readyFile, "utf8")), 60_000);
  const first = await ready();
  const genesis = await blockHash(first, "0x1");
  const acknowledged: string[] = [];
  const send = async (n: number): Promise<void> => {
    const answer = await submit(first, commitment(n));
    if (answer.status === 202) acknowledged.push(answer.body.id);
    else assert.deepEqual([answer.status, answer.body.code], [503, "unavailable"]);
  };
  for (let n = 0; n < 20; n += 1) await send(n);
  await disk.fill();
  // What it answers until it stops is an acknowledgement or a clear refusal.
  for (let n = 20, isThere = true; isThere; n += 1) isThere = await send(n).then(() => true, isRefusal);
  rmSync(readyFile);
  await disk.free();
  await disk.start();
  assert.equal(readFileSync(join(disk.out, "code"), "utf8").trim(), "1");
  const [why, ...more] = errors.filter((line) => line.startsWith("cairn: "));
  assert.match(why ?? "", /^cairn: consensus engine: .*disk is full; make room and start again/);
  assert.deepEqual(more, []);
  assert.ok(errors.length < 20, errors.join("\n"));
  const second = await ready();
  assert.equal(await blockHash(second, "0x1"), genesis);
  assert.ok(acknowledged.length >= 20);
  for (const id of acknowledged) assert.equal((await reached(second, id, "final")).state, "final");
});

/** The process is gone; anything else is a failure of the test. */
function isRefusal(error: unknown): false {
  if (error instanceof assert.AssertionError || !(error instanceof TypeError)) throw error;
  return false;
}
