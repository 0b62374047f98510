import assert from "node:assert/strict";
import { test } from "node:test";
import { createTextCache } from "./text-cache.ts";

test("a text is made once, a null every time", async () => {
  const cache = createTextCache(1000);
  let made = 0;
  const make = (text: string | null) => () => {
    made += 1;
    return text;
  };
  assert.equal(await cache.get("a", make("one")), "one");
  assert.equal(await cache.get("a", make("two")), "one");
  assert.equal(made, 1);
  assert.equal(await cache.get("b", make(null)), null);
  assert.equal(await cache.get("b", make("later")), "later");
  assert.equal(made, 3);
});

test("the least lately used go first, and what is large is not kept", async () => {
  const cache = createTextCache(160);
  const text = "x".repeat(10);
  for (let i = 0; i < 16; i += 1) await cache.get(`${i}`, () => text);
  await cache.get("0", () => "again");
  await cache.get("16", () => text);
  assert.equal(await cache.get("0", () => "made anew"), text);
  assert.equal(await cache.get("1", () => "made anew"), "made anew");
  await cache.get("large", () => "y".repeat(11));
  assert.equal(await cache.get("large", () => "z"), "z");
});
