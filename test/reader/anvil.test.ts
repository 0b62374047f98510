/** The reader on anvil: blocks and events, forced reorganisations, adaptive ranges, proofs by reference. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Hex, keccak256, pad, toHex } from "viem";
import { until } from "../e2e/until.ts";
import { type Anvil, callMined, deployRoots, ROOTED, startAnvil, withoutAnvil } from "./anvil.ts";
import { valueIn } from "./door.ts";
import { QUICK, scene } from "./scene.ts";

const root = (n: number): Hex => keccak256(toHex(n, { size: 32 }));

describe("the reader on anvil", { skip: withoutAnvil }, () => {
  let anvil: Anvil;
  let address: Hex;
  let deployedAt: bigint;

  before(async () => {
    anvil = await startAnvil();
    address = await deployRoots(anvil);
    deployedAt = await anvil.client.getBlockNumber();
  });
  after(() => anvil.close());

  const contract = (options: object = {}) => [
    "contract",
    "roots",
    31_337,
    anvil.url,
    ROOTED,
    address,
    null,
    { ...QUICK, start: Number(deployedAt), root: "root", submit: "my-rollup", ...options },
  ];
  const blocks = (options: object = {}) => [
    "rpc",
    "dev",
    31_337,
    anvil.url,
    "eth_getBlockByNumber",
    "",
    null,
    { ...QUICK, ...options },
  ];

  it("takes every log of a window in order, several in one block among them", async (t) => {
    const s = await scene(t);
    const first = await callMined(anvil, address, "publish", [1n, root(1), "0x"]);
    const second = await callMined(anvil, address, "many", [2n, 3n]);
    const reader = await s.start([contract()]);
    await until("four roots", () => s.door.taken.length === 4);
    assert.deepEqual(s.door.taken.map(valueIn), [root(1), root(2), root(3), root(4)]);
    assert.deepEqual(
      s.door.taken.map((taken) => taken.block_number),
      [first, second, second, second].map(String),
    );
    assert.ok(
      s.door.taken.every((taken) => taken.chain_id === "my-rollup" && taken.source.startsWith("contract:roots|")),
    );
    await until("the cursor", () => reader.status()[0]?.cursor === second);
    const file = (name: string) => readFileSync(join(s.dir, "block_numbers", name), "utf8");
    assert.equal(file("roots-merkle-block.txt"), `${second}\n`);
    assert.equal(file("roots-merkle-hash.txt"), `${root(4)}\n`);
    const evidence = s.door.taken[0]?.evidence as { readonly header: Hex; readonly hash: Hex };
    assert.equal(keccak256(evidence.header), evidence.hash);
  });

  it("follows a forced reorganisation of events: the replaced ones name what they replace", async (t) => {
    const s = await scene(t);
    const start = Number(await anvil.client.getBlockNumber()) + 1;
    const entry = contract({ start });
    await anvil.client.mine({ blocks: 3 });
    await callMined(anvil, address, "publish", [10n, root(10), "0x"]);
    const orphaned = await callMined(anvil, address, "publish", [11n, root(11), "0x"]);
    const reader = await s.start([entry]);
    await until("two roots", () => s.door.taken.length === 2);
    await until("the cursor", () => reader.status()[0]?.cursor === orphaned);
    await rollback(anvil, 1);
    await anvil.client.mine({ blocks: 1 });
    const again = await callMined(anvil, address, "publish", [11n, root(11), "0x"]);
    await callMined(anvil, address, "publish", [12n, root(12), "0x"]);
    await until("the replaced one and the new one", () => s.door.taken.length === 4);
    const [, old, replaced, fresh] = s.door.taken;
    assert.equal(valueIn(replaced), root(11));
    assert.equal(replaced?.reorg_of, old?.id);
    assert.equal(replaced?.block_number, String(again));
    assert.notEqual(replaced?.source.split("|")[2], old?.source.split("|")[2]);
    assert.equal(fresh?.reorg_of, undefined);
    assert.equal(reader.status()[0]?.reorgs, 1);
  });

  it("follows a forced reorganisation of blocks, over a restart", async (t) => {
    const s = await scene(t);
    await anvil.client.mine({ blocks: 6 });
    const head = await anvil.client.getBlockNumber();
    const entry = blocks({ start: Number(head) - 5 });
    const before = await s.start([entry]);
    await until("six blocks", () => s.door.taken.length === 6);
    await before.close();
    await rollback(anvil, 3);
    await anvil.client.mine({ blocks: 5, interval: 7 });
    const reader = await s.start([entry]);
    await until("five more", () => s.door.taken.length === 11);
    const heights = s.door.taken.slice(6).map((taken) => Number(taken.block_number));
    assert.deepEqual(
      heights,
      [-2, -1, 0, 1, 2].map((n) => Number(head) + n),
    );
    assert.deepEqual(
      s.door.taken.slice(6).map((taken) => taken.reorg_of),
      [...s.door.taken.slice(3, 6).map((taken) => taken.id), undefined, undefined],
    );
    for (const taken of s.door.taken.slice(6)) {
      const block = await anvil.client.getBlock({ blockNumber: BigInt(taken.block_number) });
      assert.equal(valueIn(taken), block.hash);
    }
    assert.equal(reader.status()[0]?.reorgs, 1);
  });

  it("takes nothing that is not deep enough", async (t) => {
    const s = await scene(t);
    const head = await anvil.client.getBlockNumber();
    await anvil.client.mine({ blocks: 4 });
    const reader = await s.start([blocks({ start: Number(head), confirmations: 3 })]);
    await until("two blocks", () => s.door.taken.length === 2);
    await until("the status", () => reader.status()[0]?.takeable === head + 1n);
    await anvil.client.mine({ blocks: 1 });
    await until("one more", () => s.door.taken.length === 3);
    assert.equal(s.door.taken.at(-1)?.block_number, String(head + 2n));
  });

  it("a log of the event's topic and another shape becomes a dead letter, the others are taken", async (t) => {
    const s = await scene(t);
    const start = Number(await anvil.client.getBlockNumber()) + 1;
    await callMined(anvil, address, "publish", [20n, root(20), "0x"]);
    await callMined(anvil, address, "misshapen", []);
    await callMined(anvil, address, "publish", [21n, root(21), "0x"]);
    const reader = await s.start([contract({ start })], "BOTH");
    await until("both roots", () => s.door.taken.length === 2);
    const status = (await (await fetch(`${reader.url}/status`)).json()) as { entries: { dead_letters: number }[] };
    assert.equal(status.entries[0]?.dead_letters, 1);
    assert.deepEqual(s.door.taken.map(valueIn), [root(20), root(21)]);
  });

  it("submits the proof of an argument, and of the call, beside the root", async (t) => {
    const s = await scene(t);
    const start = Number(await anvil.client.getBlockNumber()) + 1;
    const height = await callMined(anvil, address, "publish", [30n, root(30), "0xfeedbeef"]);
    const form = { system: "groth16", curve: "bn254", encoding: "gnark", vk: pad("0x1", { size: 32 }) };
    const fromCall = { from: "calldata", path: "publish(uint256 batch, bytes32 root, bytes proof).proof", ...form };
    const fromArg = { from: "arg", path: "proof", public_inputs: ["batch"], ...form };
    const other = contract({ start, proof: fromArg });
    const [kind, , ...rest] = other;
    await s.start([contract({ start, proof: fromCall }), [kind, "second", ...rest]]);
    await until("roots and proofs", () => s.door.taken.length === 4);
    const proofs = s.door.taken
      .map((taken) => JSON.parse(taken.proof_data))
      .filter(({ system }) => system === "groth16");
    const common = { system: "groth16", curve: "bn254", encoding: "gnark", proof: "0xfeedbeef", vkHash: form.vk };
    assert.deepEqual(
      proofs.sort((a, b) => Object.keys(a).length - Object.keys(b).length),
      [common, { ...common, publicInputs: ["30"] }],
    );
    assert.ok(s.door.taken.every((taken) => taken.block_number === String(height)));
  });

  it("a push on a contract entry reads that block's events and moves no cursor", async (t) => {
    const s = await scene(t);
    const height = await callMined(anvil, address, "many", [40n, 2n]);
    const reader = await s.start([contract()], "REST");
    const push = async (path: string) =>
      (await fetch(`${reader.url}/add-block-by-number/${path}`, { method: "POST" })).status;
    assert.equal(await push(`${height}`), 404, "no rpc or sdk entry to be meant");
    assert.equal(await push(`${height}?chain=roots`), 202);
    await until("both roots", () => s.door.taken.length === 2);
    assert.equal(reader.status()[0]?.cursor, undefined);
  });

  it("LOOP and REST share one de-duplication", async (t) => {
    const s = await scene(t);
    const head = Number(await anvil.client.getBlockNumber());
    const reader = await s.start([blocks({ start: head - 2 })], "BOTH");
    await until("three blocks", () => s.door.taken.length === 3);
    const answer = await fetch(`${reader.url}/add-block-by-number/${head}`, { method: "POST" });
    const { status_url } = (await answer.json()) as { readonly status_url: string };
    const read = async () => (await (await fetch(`${reader.url}${status_url}`)).json()) as Record<string, unknown>;
    await until("submitted", async () => (await read()).status === "submitted");
    assert.equal((await read()).submission_id, s.door.taken.at(-1)?.id);
    assert.deepEqual([s.door.taken.length, s.door.repeats()], [3, 0]);
  });
});

/** Takes blocks off the chain's end. */
async function rollback(anvil: Anvil, depth: number): Promise<void> {
  await anvil.client.request({ method: "anvil_rollback", params: [depth] } as never);
}
