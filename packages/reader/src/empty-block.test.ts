/** A pushed block without events: read, and nothing was to be submitted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

test("a block without events is empty, not submitted", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(3);
  const event = "event RootAdded(bytes32 indexed root)";
  const quick = { poll_ms: 50, request_pause_ms: 0, start: 0, finality: "instant" };
  const contract = ["contract", "roots", 31_337, s.chain.url, event, `0x${"d1".repeat(20)}`, null, quick];
  const reader = await s.start("REST", [s.entry(), contract]);
  const push = async (number: number, chain: string) => {
    const url = `${reader.url}/add-block-by-number/${number}?chain=${chain}`;
    const { id } = (await (await fetch(url, { method: "POST" })).json()) as { readonly id: string };
    let shown: Readonly<Record<string, unknown>> = {};
    await until(`${chain} ${number} is done`, async () => {
      shown = (await (await fetch(`${reader.url}/blocks/${id}`)).json()) as typeof shown;
      return shown.status !== "queued" && shown.status !== "waiting_for_head";
    });
    return shown;
  };
  const read = await push(2, "roots");
  assert.deepEqual([read.status, read.error, read.submission_id], ["empty", null, null]);
  assert.equal(s.door.taken.size, 0);
  assert.equal((await push(2, "dev")).status, "submitted");
});
