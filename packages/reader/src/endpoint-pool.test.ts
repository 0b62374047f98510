import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "./endpoint.ts";
import { EndpointError } from "./endpoint-error.ts";
import { type CrossCheck, createEndpointPool } from "./endpoint-pool.ts";

const signal = new AbortController().signal;

function pool(answers: Record<string, string | EndpointError>, crossCheck: CrossCheck = "available") {
  const asked: string[] = [];
  const endpoints = Object.keys(answers).map(
    (host): Endpoint => ({
      host,
      rest: () => assert.fail("not asked"),
      async rpc() {
        asked.push(host);
        const answer = answers[host];
        if (answer instanceof EndpointError) throw answer;
        return answer;
      },
    }),
  );
  const made = createEndpointPool({ endpoints, crossCheck, now: () => 0 });
  const ask = (endpoint: Endpoint) => endpoint.rpc("m", [], signal);
  return {
    asked,
    answers,
    first: () => made.first(ask, signal),
    agreed: () => made.agreed(ask, String, signal),
  };
}

const DOWN = new EndpointError("unreachable", "down");

async function code(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof EndpointError ? error.code : assert.fail(`${error}`);
  }
  return assert.fail("answered");
}

test("the first that answers serves, and is asked first from then on", async () => {
  const p = pool({ a: DOWN, b: "1" });
  assert.equal(await p.first(), "1");
  assert.equal(await p.first(), "1");
  assert.deepEqual(p.asked, ["a", "b", "b"]);
});

test("an endpoint that failed three times is asked last", async () => {
  const p = pool({ a: DOWN, b: DOWN });
  for (let i = 0; i < 3; i += 1) assert.equal(await code(p.first()), "unreachable");
  p.answers.a = "1";
  assert.equal(await p.first(), "1", "resting endpoints are still asked when no other answers");
});

test("two must agree; a liar among three is outvoted, among two it stops the entry", async () => {
  assert.equal(await pool({ a: "1", b: "1" }).agreed(), "1");
  assert.equal(await pool({ a: "lie", b: "1", c: "1" }).agreed(), "1");
  assert.equal(await code(pool({ a: "lie", b: "1" }).agreed()), "disagreement");
  assert.equal(await code(pool({ a: "lie", b: "1", c: "2" }).agreed()), "disagreement");
});

test("one alone is believed when the others are down, unless cross-checking is required", async () => {
  assert.equal(await pool({ a: DOWN, b: "1" }).agreed(), "1");
  assert.equal(await code(pool({ a: DOWN, b: "1" }, "required").agreed()), "missing");
  assert.equal(await code(pool({ a: DOWN, b: DOWN }).agreed()), "unreachable");
  const off = pool({ a: "1", b: "2" }, "off");
  assert.equal(await off.agreed(), "1");
  assert.deepEqual(off.asked, ["a"]);
});
