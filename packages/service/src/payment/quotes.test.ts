import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createQuotes } from "./quotes.ts";

const quotes = createQuotes(new Uint8Array(32).fill(1));
const quote = { pricedAs: "groth16/bn254", plan: "standard", priceWei: 2n ** 90n, expiresAtMs: 1_000 };
const id = quotes.issue("a", quote);

test("a quote is read back by its account until its time is over", () => {
  assert.deepEqual(quotes.read("a", id, 999), { ok: true, quote });
  assert.deepEqual(quotes.read("a", id, 1_000), { ok: false, code: "expired" });
  assert.deepEqual(quotes.read("b", id, 0), { ok: false, code: "unknown" });
  const others = createQuotes(new Uint8Array(32).fill(2));
  assert.deepEqual(others.read("a", id, 0), { ok: false, code: "unknown" });
});

test("a changed or made-up id is unknown, never an error", () => {
  fc.assert(
    fc.property(fc.nat(id.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
      const changed = id.slice(0, at) + char + id.slice(at + 1);
      const reading = quotes.read("a", changed, 0);
      assert.ok(changed === id ? reading.ok : !reading.ok && reading.code === "unknown");
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => assert.ok(!quotes.read("a", text, 0).ok)));
});
