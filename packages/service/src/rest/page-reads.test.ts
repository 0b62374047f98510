/** A page of submissions is read with few questions, and answers what one by one would. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openThreadedStore } from "@cairn/aggregator";
import { call, post, runService, temporaryHome, until } from "../testing/fixture.ts";
import { once, pageReads } from "./page-reads.ts";
import { submissionResource } from "./present.ts";

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "page",
});

test("each key is asked for once", async () => {
  const asked: number[] = [];
  const read = once(async (key) => {
    asked.push(key);
    return key * 2;
  });
  assert.deepEqual(await Promise.all([read(1), read(2), read(1)]), [2, 4, 2]);
  assert.deepEqual(asked, [1, 2]);
});

test("a page of 60 submissions asks the store a handful of times", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const items = Array.from({ length: 60 }, (_, n) => commitment(n));
  await post(service, "/v1/submit-proofs", { items });
  await until("all are batched", async () => {
    const { body } = await call(service, "/v1/proofs?state=batched&limit=100");
    return (body.items as unknown[]).length === 60;
  });
  const shown = (await call(service, "/v1/proofs?limit=60")).body.items;
  await service.close();
  const store = await openThreadedStore(join(home, "service/service.db"));
  t.after(() => store.close());
  const page = await store.list({ account: "sandbox", limit: 60 });
  let asked = 0;
  const counting =
    <A extends readonly unknown[], T>(call: (...args: A) => T) =>
    (...args: A): T => {
      asked += 1;
      return call(...args);
    };
  const { histories, batch, anchor, history } = store;
  const counted = {
    ...store,
    histories: counting(histories),
    history: counting(history),
    batch: counting(batch),
    anchor: counting(anchor),
  };
  const reads = await pageReads(counted, page);
  const resources = await Promise.all(page.map((item) => submissionResource(reads, 358587n, item)));
  assert.equal(asked, 2, "the histories, and the one batch");
  assert.deepEqual(JSON.parse(JSON.stringify(resources)), shown);
});
