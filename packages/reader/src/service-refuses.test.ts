/** The service does not take submissions for a while: nothing is lost, nobody hammers it, and the reason is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

const REFUSALS = [
  [402, { code: "payment-required", detail: "the account has 0 CRN, 3 CRN are needed" }],
  [403, { code: "forbidden", detail: "the key has no scope reader" }],
  [401, { code: "unauthorized", detail: "no such key: token-for-tests" }],
  [429, { code: "rate-limited", detail: "slow down" }],
  [503, { code: "unavailable", detail: "the store is away" }],
  [500, { code: "internal", detail: "try again" }],
] as const;

for (const [status, problem] of REFUSALS) {
  test(`HTTP ${status}: the cursor stays, the reason is told without the token, and all is taken afterwards`, async (t) => {
    const s = await readerScene(t);
    s.chain.extend(3);
    s.door.refuse = { status, body: JSON.stringify(problem) };
    const reader = await s.start("LOOP");
    await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
    assert.equal(reader.status()[0]?.cursor, undefined);
    const told = reader.status()[0]?.lastError ?? "";
    assert.ok(told.startsWith(`the service did not take block 0: ${problem.code} (`), told);
    assert.ok(told.includes(problem.detail.replace("token-for-tests", "***")), told);
    assert.ok(!JSON.stringify(s.log).includes("token-for-tests"));
    assert.ok(s.log.some(({ level, message }) => level === "warn" && message.startsWith("the service did not take")));
    s.door.refuse = undefined;
    await until("all four", () => s.door.taken.size === 4);
    assert.deepEqual(
      [...s.door.taken.values()].map((taken) => taken.block_number),
      ["0", "1", "2", "3"],
    );
  });
}

test("a refused payment tells what is required and what there is; the error has its time", async (t) => {
  const s = await readerScene(t);
  const problem = { code: "insufficient-balance", detail: "a long sentence", required: "3000", available: "12" };
  s.door.refuse = { status: 402, body: JSON.stringify(problem) };
  const reader = await s.start("BOTH");
  await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
  const said = "the service did not take block 0: insufficient-balance (3000 wei required, 12 available)";
  assert.equal(reader.status()[0]?.lastError, said);
  s.door.refuse = undefined;
  await until("taken", () => s.door.taken.size === 1);
  const { entries } = (await (await fetch(`${reader.url}/status`)).json()) as {
    readonly entries: readonly { readonly last_error_at: string; readonly last_success: string }[];
  };
  const [entry] = entries;
  assert.ok(Date.parse(entry?.last_error_at ?? "") < Date.parse(entry?.last_success ?? ""), "it is over");
});

test("Retry-After is kept to, in seconds and as a date", async (t) => {
  for (const header of [() => "2", () => new Date(Date.now() + 3_000).toUTCString()]) {
    const s = await readerScene(t);
    s.door.refuse = { status: 429, body: "{}", headers: { "retry-after": header() } };
    const reader = await s.start("LOOP");
    await until("the first refusal", () => (reader.status()[0]?.errors ?? 0) > 0);
    s.door.refuse = undefined;
    await until("taken", () => s.door.taken.size === 1);
    const [first = 0, second = 0] = s.door.requests;
    assert.ok(second - first >= 1_900, `again after ${second - first} ms`);
    await reader.close();
  }
});

test("a service that answers without end, with HTML, or with a redirect is no service; nothing counts as taken", async (t) => {
  const s = await readerScene(t);
  const reader = await s.start("LOOP");
  await until("block 0", () => s.door.taken.size === 1);
  const strange = [
    { status: 200, body: "<html>sign in</html>" },
    { status: 202, body: "{}" },
    { status: 202, body: `{"id":"${"x".repeat(2_000_000)}"}` },
    { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } },
  ];
  for (const refusal of strange) {
    s.door.refuse = refusal;
    const before = reader.status()[0]?.errors ?? 0;
    s.chain.extend(1);
    await until("an error", () => (reader.status()[0]?.errors ?? 0) > before);
    const cursor = reader.status()[0]?.cursor;
    s.door.refuse = undefined;
    await until("the cursor", () => (reader.status()[0]?.cursor ?? 0n) === (cursor ?? 0n) + 1n);
  }
  assert.equal(s.door.taken.size, 5);
});

test("while the service refuses, pushes wait, are not tried one after the other, and say why", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(20);
  s.door.refuse = {
    status: 402,
    body: '{"code":"payment-required","detail":"top up"}',
    headers: { "retry-after": "2" },
  };
  const reader = await s.start("REST");
  const push = async (n: number) =>
    (await (await fetch(`${reader.url}/add-block-by-number/${n}`, { method: "POST" })).json()) as {
      status_url: string;
    };
  const pushed = await push(1);
  const read = async () => (await (await fetch(`${reader.url}${pushed.status_url}`)).json()) as Record<string, unknown>;
  await until("the reason", async () => String((await read()).error).includes("payment-required (top up)"));
  assert.equal((await read()).status, "queued");
  const tried = s.door.requests.length;
  s.door.refuse = undefined;
  for (let n = 2; n <= 10; n += 1) await push(n);
  await until("all ten", () => s.door.taken.size === 10);
  assert.ok(s.door.requests.length <= tried + 11, `${s.door.requests.length} requests`);
  await until("submitted", async () => (await read()).status === "submitted");
  assert.equal((await read()).error, null);
});
