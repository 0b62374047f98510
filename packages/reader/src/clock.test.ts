/** The machine's clock is set forward and back while the reader runs: nothing ends early, nothing waits for ever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

const HOUR_MS = 3_600_000;

test("two hours forward and four back: a waiting push neither expires nor is forgotten, the loop goes on", async (t) => {
  const s = await readerScene(t);
  const reader = await s.start("BOTH");
  await until("block 0", () => s.door.taken.size === 1);
  const push = async () =>
    (await (await fetch(`${reader.url}/add-block-by-number/9`, { method: "POST" })).json()) as { status_url: string };
  const { status_url } = await push();
  const state = async () =>
    ((await (await fetch(`${reader.url}${status_url}`)).json()) as { readonly status: string }).status;
  await until("it waits", async () => (await state()) === "waiting_for_head");
  const real = Date.now.bind(Date);
  const jumps = [2 * HOUR_MS, -4 * HOUR_MS];
  for (const [i, jump] of jumps.entries()) {
    t.mock.method(Date, "now", () => real() + jump);
    s.chain.extend(2);
    await until("the loop goes on", () => reader.status()[0]?.cursor === BigInt(2 * (i + 1)));
    assert.equal(await state(), "waiting_for_head");
    s.chain.failing = true;
    await until("an error", () => (reader.status()[0]?.errors ?? 0) > i);
    s.chain.failing = false;
  }
  s.chain.extend(5);
  await until("it is submitted", async () => (await state()) === "submitted");
});

test("an hour above the head a push expires; pushed again it begins again and is submitted", async (t) => {
  const s = await readerScene(t);
  const reader = await s.start("REST");
  const push = () => fetch(`${reader.url}/add-block-by-number/3`, { method: "POST" });
  const { status_url } = (await (await push()).json()) as { readonly status_url: string };
  const state = async () =>
    ((await (await fetch(`${reader.url}${status_url}`)).json()) as { readonly status: string }).status;
  await until("it waits", async () => (await state()) === "waiting_for_head");
  const real = performance.now.bind(performance);
  t.mock.method(performance, "now", () => real() + HOUR_MS - 5_000);
  s.chain.extend(1);
  await until("the head is seen", () => reader.status()[0]?.head === 1n);
  assert.equal(await state(), "waiting_for_head", "not yet");
  t.mock.method(performance, "now", () => real() + HOUR_MS + 1);
  await until("it expires", async () => (await state()) === "expired");
  assert.equal((await push()).status, 202);
  s.chain.extend(2);
  await until("it is submitted", async () => (await state()) === "submitted");
});

test("a chain that began anew: its head far below the cursor is told, once", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(40);
  const reader = await s.start("LOOP");
  await until("the head", () => reader.status()[0]?.cursor === 40n);
  const whole = s.chain.snapshot();
  s.chain.restore(whole.slice(0, 3));
  await until("it is told", () => /newest height 2 is below the cursor 40/.test(reader.status()[0]?.lastError ?? ""));
  s.chain.restore(whole);
  s.chain.extend(1);
  await until("it goes on", () => reader.status()[0]?.cursor === 41n);
  assert.equal(s.log.filter(({ message }) => message === "nothing to read").length, 1);
});
