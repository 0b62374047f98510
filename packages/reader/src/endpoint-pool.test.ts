import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrossCheck } from "./cross-check.ts";
import type { Endpoint } from "./endpoint.ts";
import { EndpointError } from "./endpoint-error.ts";
import { createEndpointPool } from "./endpoint-pool.ts";

const signal = new AbortController().signal;

function pool(answers: Record<string, string | EndpointError>, crossCheck: CrossCheck = "available") {
  const asked: string[] = [];
  const clock = { now: 0 };
  const endpoints = Object.keys(answers).map(
    (host): Endpoint => ({
      host,
      rest: () => assert.fail("not asked"),
      grpc: () => assert.fail("not asked"),
      async rpc() {
        asked.push(host);
        const answer = answers[host];
        if (answer instanceof EndpointError) throw answer;
        return answer;
      },
    }),
  );
  const made = createEndpointPool({ endpoints, crossCheck, now: () => clock.now });
  const ask = (endpoint: Endpoint) => endpoint.rpc("m", [], signal);
  const telling = (error: EndpointError) => error.code === "too-large";
  return {
    made,
    clock,
    asked,
    answers,
    first: () => made.first(ask, signal),
    agreed: () => made.agreed(ask, { digest: String, telling }, signal),
    reached: () => made.reached(async (endpoint) => BigInt(String(await ask(endpoint))), signal),
  };
}

const DOWN = new EndpointError("unreachable", "down");
const MISSING = new EndpointError("missing", "not there yet");
const TOO_LARGE = new EndpointError("too-large", "too large");

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

test("who was outvoted is counted, and a disagreement names who took part", async () => {
  const three = pool({ liar: "lie", b: "1", c: "1" });
  await three.agreed();
  await three.agreed();
  assert.deepEqual([...three.made.dissents()], [["liar", 2]]);
  await assert.rejects(pool({ a: "lie", b: "1" }).agreed(), /\(a, b\); none is believed/);
});

test("one alone is believed when the others are down, unless cross-checking is required", async () => {
  assert.equal(await pool({ a: DOWN, b: "1" }).agreed(), "1");
  assert.equal(await code(pool({ a: DOWN, b: "1" }, "required").agreed()), "missing");
  assert.equal(await code(pool({ a: DOWN, b: DOWN }).agreed()), "unreachable");
  const off = pool({ a: "1", b: "2" }, "off");
  assert.equal(await off.agreed(), "1");
  assert.deepEqual(off.asked, ["a"]);
});

test("a block that only one has is not taken while another one says there is none: it may be invented", async () => {
  assert.equal(await code(pool({ a: "invented", b: MISSING, c: MISSING }).agreed()), "missing");
  assert.equal(await code(pool({ a: MISSING, b: "1", c: DOWN }).agreed()), "missing");
  assert.equal(await pool({ a: MISSING, b: "1", c: "1" }).agreed(), "1", "two that have it suffice");
});

test("an endpoint that rests is not waited for, except where two are required", async () => {
  const p = pool({ a: "1", b: DOWN });
  for (let i = 0; i < 3; i += 1) await p.agreed();
  p.asked.length = 0;
  assert.equal(await p.agreed(), "1");
  assert.deepEqual(p.asked, ["a"]);
  p.clock.now += 5_001;
  await p.agreed();
  assert.deepEqual(p.asked, ["a", "a", "b"], "its rest is over");
  const strict = pool({ a: "1", b: DOWN }, "required");
  for (let i = 0; i < 4; i += 1) assert.equal(await code(strict.agreed()), "missing");
  strict.answers.b = "1";
  assert.equal(await strict.agreed(), "1");
});

test("a refusal of the question itself is thrown in place of a lone answer, and rests nobody", async () => {
  for (const crossCheck of ["available", "required"] as const) {
    const p = pool({ a: "1", b: TOO_LARGE }, crossCheck);
    for (let i = 0; i < 4; i += 1) assert.equal(await code(p.agreed()), "too-large");
    assert.equal(await code(pool({ a: TOO_LARGE, b: DOWN }, crossCheck).agreed()), "too-large");
  }
});

test("the height two have reached counts: one alone can neither run ahead nor hold up two others", async () => {
  assert.equal(await pool({ liar: "9007199254740991", b: "100", c: "99" }).reached(), 100n);
  assert.equal(await pool({ a: "100", b: "99", stuck: "3" }).reached(), 99n);
  assert.equal(await pool({ a: "100", b: "7" }).reached(), 7n);
  assert.equal(await pool({ a: "100", b: DOWN }).reached(), 100n);
  assert.equal(await code(pool({ a: "100", b: DOWN }, "required").reached()), "missing");
  assert.equal(await pool({ a: "100", b: "7" }, "off").reached(), 100n);
  assert.equal(await code(pool({ a: DOWN, b: DOWN }).reached()), "unreachable");
});

test("an endpoint is admitted before its first use, and one of another chain serves nothing", async () => {
  const p = pool({ a: "1", other: "lie", c: "1" });
  const checked: string[] = [];
  p.made.admitBy(async ({ host }) => {
    checked.push(host);
    if (host === "other") throw new EndpointError("other-chain", "another chain");
  });
  assert.equal(await p.agreed(), "1");
  assert.equal(await p.agreed(), "1");
  assert.deepEqual(checked, ["a", "other", "c", "other"], "the admitted ones are not asked again");
  assert.equal(p.made.dissents().get("other"), 2);
  assert.ok(!p.asked.includes("other"));
});
