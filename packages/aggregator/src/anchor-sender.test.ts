import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createAnchorSender } from "./anchor-sender.ts";
import type { AnchorPort } from "./ports.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";
import { hashOf } from "./testing/samples.ts";
import { temporaryDirectory } from "./testing/temporary.ts";

const LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** A node that knows a transaction's parent by the byte before it. */
function nodeKnowing(known: readonly number[]) {
  const has = new Set(known);
  const calls: number[] = [];
  const broadcast: AnchorPort["broadcast"] = async ([id = 0]) => {
    calls.push(id);
    if (!has.has(id) && !has.has(id - 1)) return { ok: false, code: "missing-inputs", message: "missing" };
    has.add(id);
    return { ok: true };
  };
  return { calls, has, port: { broadcast } as AnchorPort };
}

async function anchors(t: TestContext, count: number): Promise<Store> {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const coin = { txid: "11", vout: 0, valueSat: 1 };
    const hashes = { root: hashOf("r"), commitment: hashOf(`c${sequence}`), header: "0x02" as const };
    const rest = { network: "regtest", size: 1, feeSat: 2, fromHeight: 1, createdAtMs: 1, input: coin, change: coin };
    await store.createAnchor({ sequence, ...hashes, ...rest, rawTx: Uint8Array.of(sequence), txid: `${sequence}` }, []);
  }
  return store;
}

async function sendNewest(store: Store, port: AnchorPort): Promise<boolean | undefined> {
  const anchor = await store.lastAnchor();
  assert.ok(anchor);
  return (await createAnchorSender({ store, port, rebroadcastMs: 0, clock: () => 0, log: LOG }).send(anchor))?.ok;
}

test("an anchor whose input is missing is sent after its predecessors, as far back as the node needs", async (t) => {
  const store = await anchors(t, 5);
  const node = nodeKnowing([2]);
  assert.equal(await sendNewest(store, node.port), true);
  assert.deepEqual([...node.has], [2, 3, 4, 5]);
  assert.equal((await store.anchor(5))?.state, "broadcast");
});

test("a known predecessor is enough; a chain the node knows nothing of stays refused, within bounds", async (t) => {
  const store = await anchors(t, 100);
  const near = nodeKnowing([99]);
  assert.equal(await sendNewest(store, near.port), true);
  assert.deepEqual(near.calls, [100]);
  const strange = nodeKnowing([]);
  assert.equal(await sendNewest(store, strange.port), false);
  assert.ok(strange.calls.length <= 65);
});
