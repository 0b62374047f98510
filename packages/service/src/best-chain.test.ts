import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRegtest, NoRegtestError } from "@cairn/bitcoin-node";
import { askStoppedRegtest } from "./best-chain.ts";
import { temporaryHome, testLog } from "./testing/fixture.ts";

test("a home without a regtest is told so and stays without one", async (t) => {
  const home = temporaryHome(t);
  await assert.rejects(askStoppedRegtest(home, 5), NoRegtestError);
  assert.equal(existsSync(join(home, "bitcoin")), false);
});

test("a stopped regtest answers for the block at a height", async (t) => {
  const home = temporaryHome(t);
  const options = { dir: join(home, "bitcoin"), blockIntervalMs: 0, user: "u", password: "p", log: testLog };
  const regtest = await createRegtest(options);
  const { genesisHash } = regtest;
  const [hash] = await regtest.mine(1);
  await regtest.close();
  assert.deepEqual(await askStoppedRegtest(home, 102), { kind: "node", genesisHash, blockHash: hash, tip: 102 });
  assert.equal((await askStoppedRegtest(home, 103)).blockHash, null);
});
