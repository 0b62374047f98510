/** The reader on real chains: the sandbox's own, and another node of ours read by a `cairn reader` that is killed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../../tools/stages.ts";
import { valueIn } from "../reader/door.ts";
import { QUICK, scene } from "../reader/scene.ts";
import { runCairn, type SandboxProcess, startSandbox, temporaryHome } from "./cairn-process.ts";
import { call, reached } from "./service-client.ts";
import { until } from "./until.ts";

let service: SandboxProcess;
let foreign: SandboxProcess;
before(async () => {
  service = await startSandbox();
  foreign = await startSandbox({ args: ["--consensus.block-interval", "100ms"] });
});
after(async () => {
  await service.stop();
  await foreign.stop();
});

interface Item {
  readonly id: string;
  readonly block_number: string;
  readonly source: string;
  readonly kind?: string;
}

async function submissions(chainId: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor = "";
  do {
    const { body } = await call(service.ready, `/v1/proofs?chain_id=${chainId}&limit=100${cursor}`);
    items.push(...(body.items as readonly Item[]));
    cursor = body.next_cursor === undefined ? "" : `&cursor=${encodeURIComponent(String(body.next_cursor))}`;
  } while (cursor !== "");
  return items;
}

test("a pushed block of the sandbox's own chain becomes a final commitment to its hash", async () => {
  const push = await fetch(`${service.ready.reader_url}/add-block-by-number/0x1`, { method: "POST" });
  assert.equal(push.status, 202);
  const { status_url } = (await push.json()) as { readonly status_url: string };
  const submissionId = await until("submitted", async () => {
    const block = (await (await fetch(new URL(status_url, service.ready.reader_url))).json()) as {
      readonly submission_id: string | null;
    };
    return block.submission_id ?? undefined;
  });
  const proof = await reached(service.ready, submissionId, "final");
  assert.equal(proof.state, "final");
  const { body } = await call(service.ready, `/v1/proofs/${submissionId}`);
  assert.equal(body.kind, "commitment");
});

test("the sandbox's reader follows its chain by itself", async () => {
  const own = String(service.ready.evm_chain_id);
  await until("a followed block", async () => (await submissions(own)).some((item) => Number(item.block_number) >= 10));
});

test("cairn demo: a rollup's root becomes a final commitment through the sandbox's reader", async () => {
  const root = `0x${"c0ffee".padStart(64, "0")}`;
  const first = await runCairn(["demo", "--home", service.home, "--root", root, "--watch"]);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^deployed {3}DemoRollup at 0x665f7db23c03add06d186055fc64336540f4aaca$/m);
  assert.match(first.stdout, /final$/m);
  const second = await runCairn(["demo", "--home", service.home, "--json"]);
  assert.equal(second.code, 0, second.stderr);
  const { submission_id, block_number } = JSON.parse(second.stdout);
  const { body } = await call(service.ready, `/v1/proofs/${submission_id}`);
  assert.equal(body.block_number, block_number);
  const sources = (await submissions("cairn-demo")).map((item) => item.source);
  assert.equal(sources.length, 2);
  assert.ok(sources.every((source) => source.startsWith("contract:demo|")));
  const tried = await runCairn(["reader", "--home", service.home, "--mode", "TEST"]);
  assert.equal(tried.code, 0, tried.stdout);
  assert.equal((await runCairn(["reader", "audit", "--home", service.home])).stdout, "no dead letters\n");
});

test("cairn reader on another node: kill -9 at random moments misses and doubles nothing", async () => {
  const dir = temporaryHome();
  const entry = [
    "rpc",
    "foreign",
    foreign.ready.evm_chain_id,
    foreign.ready.json_rpc_url,
    "eth_getBlockByNumber",
    "",
    null,
  ];
  const options = { start: 1, poll_ms: 50, request_pause_ms: 5, submit: "foreign-chain" };
  const config = {
    service_url: service.ready.service_url,
    service_token: service.ready.service_token,
    block_numbers_dir: join(dir, "block_numbers"),
    block_fetch_params: [[...entry, options]],
  };
  writeFileSync(join(dir, "reader.json"), JSON.stringify(config));
  for (let round = 0; round < 4; round += 1) {
    const reader = startReaderProcess(dir);
    const enough = (round + 1) * 8;
    await until(`${enough} blocks`, async () => (await submissions("foreign-chain")).length >= enough);
    reader.kill("SIGKILL");
    await new Promise((resolve) => reader.once("close", resolve));
  }
  const items = await submissions("foreign-chain");
  const heights = items.map((item) => Number(item.block_number)).sort((a, b) => a - b);
  assert.deepEqual(
    heights,
    Array.from({ length: heights.length }, (_, i) => i + 1),
  );
  const cursor = Number(readFileSync(join(dir, "block_numbers/foreign-block.txt"), "utf8"));
  assert.ok(
    cursor === heights.length || cursor === heights.length - 1,
    `cursor ${cursor}, submitted ${heights.length}`,
  );
});

test("two nodes of ours, by their Ethereum and their consensus RPC: every block, the hashes recomputed", async (t) => {
  const s = await scene(t);
  const nodes = [service, foreign].map(({ ready }) => ready);
  const entries = nodes.flatMap(({ evm_chain_id: id, json_rpc_url, consensus_rpc_url }, i) => {
    const options = { ...QUICK, start: 1 };
    const endpoints = { ...options, endpoints: [json_rpc_url], cross_check: "required" };
    return [
      ["rpc", `evm-${i}`, id, json_rpc_url, "eth_getBlockByNumber", "", null, endpoints],
      ["rpc", `block-${i}`, id, consensus_rpc_url, "block", "", null, options],
      ["rpc", `commit-${i}`, id, consensus_rpc_url, "commit", "", null, { ...options, finality: "finalized" }],
    ];
  });
  const reader = await s.start(entries);
  const of = (name: string) => s.door.taken.filter(({ source }) => source.startsWith(`rpc:${name}|`));
  for (const entry of entries) await until(`${entry[1]}`, () => of(String(entry[1])).length >= 5);
  for (const [i, ready] of nodes.entries()) {
    const heights = (name: string) =>
      of(name)
        .slice(0, 5)
        .map((taken) => taken.block_number);
    for (const name of [`evm-${i}`, `block-${i}`, `commit-${i}`])
      assert.deepEqual(heights(name), ["1", "2", "3", "4", "5"]);
    const values = (name: string) => of(name).slice(0, 5).map(valueIn);
    assert.deepEqual(values(`block-${i}`), values(`commit-${i}`));
    const block = (await (await fetch(`${ready.consensus_rpc_url}/block?height=3`)).json()) as {
      readonly result: { readonly block_id: { readonly hash: string } };
    };
    assert.equal(values(`block-${i}`)[2], `0x${block.result.block_id.hash.toLowerCase()}`);
  }
  assert.ok(reader.status().every((status) => status.stopped === undefined));
});

function startReaderProcess(dir: string): ChildProcess {
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
  const main = join(ROOT, "packages/cli/src/main.ts");
  const args = ["reader", "--config", join(dir, "reader.json"), "--mode", "LOOP", "--state-dir", join(dir, "state")];
  return spawn(process.execPath, [...flags, main, ...args, "--log-level", "error"], { stdio: "ignore" });
}
