import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { AnchorVariant } from "../anchor-store.ts";
import { hashOf } from "../testing/samples.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const coin = (txid: string) => ({ txid, vout: 0, valueSat: 1_000 });

function variant(name: string, feeSat: number, signedHeight: number): AnchorVariant {
  return { rawTx: Buffer.from(name), txid: name, input: coin("in"), change: coin(name), feeSat, signedHeight };
}

const ANCHOR = {
  ...{ sequence: 1, network: "regtest", size: 1, root: hashOf("r"), header: "0x02" as const, commitment: hashOf("c") },
  ...variant("first", 100, 5),
  ...{ fromHeight: 5, createdAtMs: 1 },
};

test("variants are kept in order; the newest is current until another one is in a block", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  await store.createAnchor(ANCHOR, []);
  await store.anchorAccepted(1);
  await store.addVariant(1, variant("second", 300, 11));
  await store.addVariant(1, variant("third", 600, 17));
  const open = await store.anchor(1);
  assert.equal(open?.txid, "third");
  assert.equal(open?.feeSat, 600);
  assert.equal(open?.state, "broadcast");
  const heights = open?.variants.map(({ txid, signedHeight }) => [txid, signedHeight]);
  assert.deepEqual(heights, [
    ["first", 5],
    ["second", 11],
    ["third", 17],
  ]);
  await store.anchorMined(1, { height: 20, blockHash: "bb", txid: "second" }, new Map(), 2);
  const mined = await store.anchor(1);
  assert.deepEqual([mined?.txid, mined?.change.txid, mined?.feeSat], ["second", "second", 300]);
  assert.deepEqual(Buffer.from(mined?.rawTx ?? []).toString(), "second");
  await store.addVariant(1, variant("fourth", 900, 30));
  assert.equal((await store.anchor(1))?.variants.length, 3, "nothing is signed while one is in a block");
  await store.anchorLost(1, "reorged", 10, 3);
  assert.equal((await store.anchor(1))?.txid, "second", "the same bytes are sent again");
  await store.anchorMined(1, { height: 21, blockHash: "cc", txid: "first" }, new Map(), 4);
  assert.equal((await store.anchor(1))?.change.txid, "first");
  assert.equal((await store.lastAnchor())?.variants.length, 3);
});

test("bytes that are signed again after a reorg are the newest variant, once", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  await store.createAnchor(ANCHOR, []);
  await store.addVariant(1, variant("second", 300, 11));
  await store.anchorMined(1, { height: 12, blockHash: "bb", txid: "first" }, new Map(), 2);
  await store.anchorLost(1, "reorged", 10, 3);
  assert.equal((await store.anchor(1))?.txid, "first");
  await store.addVariant(1, variant("second", 300, 20));
  const again = await store.anchor(1);
  assert.deepEqual([again?.txid, again?.feeSat], ["second", 300]);
  assert.deepEqual(again?.variants, [
    { txid: "first", signedHeight: 5 },
    { txid: "second", signedHeight: 20 },
  ]);
});

test("an anchor that something took the place of goes with what spends from it; mined ones stay", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  await store.createAnchor(ANCHOR, []);
  await store.createAnchor({ ...ANCHOR, ...variant("child", 100, 6), sequence: 2, commitment: hashOf("d") }, []);
  await store.anchorMined(2, { height: 12, blockHash: "bb", txid: "child" }, new Map(), 2);
  await store.anchorDisplaced(1);
  assert.equal((await store.openAnchors()).length, 2, "not while one of them is in a block");
  await store.anchorLost(2, "reorged", 10, 3);
  await store.anchorDisplaced(1);
  assert.deepEqual(await store.openAnchors(), []);
  await store.createAnchor(ANCHOR, []);
});

test("a store from before variants has one of each anchor", async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const before = new DatabaseSync(file);
  for (const sql of MIGRATIONS.slice(0, 3)) before.exec(sql);
  before.exec("PRAGMA user_version = 3");
  before
    .prepare(
      `INSERT INTO anchors (sequence, state, network, size, root, header, commitment, raw_tx, txid, input_txid,
         input_vout, input_value, change_txid, change_vout, change_value, fee, from_height, created_at)
       VALUES (1, 'broadcast', 'regtest', 1, x'01', x'02', x'03', x'04', 'old', 'in', 0, 9, 'old', 0, 8, 1, 7, 1)`,
    )
    .run();
  before.close();
  const store = openSqliteStore(file);
  t.after(() => store.close());
  assert.deepEqual((await store.anchor(1))?.variants, [{ txid: "old", signedHeight: 7 }]);
  await store.addVariant(1, variant("new", 5, 9));
  assert.equal((await store.anchor(1))?.variants.length, 2);
});
