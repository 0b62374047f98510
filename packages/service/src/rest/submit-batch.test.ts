import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { call, post, proofCases, runService, TOKEN, temporaryHome, until } from "../testing/fixture.ts";

const [valid] = proofCases().filter((item) => item.expected === "valid");
const [invalid] = proofCases().filter((item) => item.expected === "invalid-proof");
assert.ok(valid && invalid);

const PATH = "/v1/submit-proofs";
const commitment = (n: number, o: object = {}) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "batch",
  ...o,
});

interface Item {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly state?: string;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: string };
  readonly warnings?: readonly { readonly pointer: string }[];
  readonly problem?: { readonly code: string; readonly errors?: readonly { readonly pointer: string }[] };
}
const itemsOf = (body: object) => (body as { readonly items: readonly Item[] }).items;

test("each item has its own result, in order, with pointers into the whole body", async (t) => {
  const service = await runService(t);
  const items = [
    commitment(1, { external_id: "first" }),
    { chain_id: 5 },
    commitment(2, { extra: 1 }),
    commitment(1),
    "no object",
    { ...commitment(3), block_number: "x" },
  ];
  const { status, body } = await post(service, PATH, { items });
  assert.equal(status, 200);
  assert.deepEqual([body.accepted, body.refused], [3, 3]);
  const results = itemsOf(body);
  assert.deepEqual(
    results.map(({ index, status: own, problem }) => [index, own, problem?.code]),
    [
      [0, 202, undefined],
      [1, 422, "invalid-body"],
      [2, 202, undefined],
      [3, 200, undefined],
      [4, 422, "invalid-body"],
      [5, 422, "invalid-body"],
    ],
  );
  assert.deepEqual(
    results.flatMap(({ problem }) => problem?.errors?.map((error) => error.pointer) ?? []),
    ["/items/1/proof_data", "/items/1/chain_id", "/items/4", "/items/5/block_number"],
  );
  assert.equal(results[3]?.id, results[0]?.id, "a repeat inside one body is the same submission");
  assert.equal(results[3]?.duplicate, true);
  assert.deepEqual(
    results[2]?.warnings?.map((warning) => warning.pointer),
    ["/items/2/extra"],
  );
  const single = await post(service, "/v1/submit-proof", commitment(2));
  assert.equal(single.body.id, results[2]?.id, "the same id as alone");
  assert.equal(single.body.duplicate, true);
});

test("a thousand items are one transaction; Prefer: wait answers with their verdicts", {
  timeout: 60_000,
}, async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const items: object[] = Array.from({ length: 998 }, (_, n) => commitment(n));
  items.push({ proof_data: valid.proofData, chain_id: "batch" }, { proof_data: invalid.proofData, chain_id: "batch" });
  const { status, headers, body } = await post(service, PATH, { items }, { prefer: "wait=30" });
  assert.equal(status, 200);
  assert.equal(headers.get("preference-applied"), "wait=30");
  const results = itemsOf(body);
  assert.equal(results.length, 1_000);
  assert.ok(results.every((item) => item.state !== "received"));
  assert.equal(results[999]?.error?.code, "invalid-proof");
  const database = new DatabaseSync(join(home, "service/service.db"), { readOnly: true });
  const times = database.prepare("SELECT count(DISTINCT received_at) AS n FROM submissions").get();
  const order = database.prepare("SELECT '0x' || lower(hex(id)) AS id FROM submissions ORDER BY seq").all();
  database.close();
  assert.equal(times?.n, 1);
  assert.deepEqual(
    order.map((row) => row.id),
    results.map((item) => item.id),
  );
});

test("the rate counts items: what is beyond it is refused, what was before it is stored", async (t) => {
  const service = await runService(t, { submissionsPerMinute: 60 });
  const items = Array.from({ length: 310 }, (_, n) => commitment(n));
  const { body, headers } = await post(service, PATH, { items });
  const statuses = itemsOf(body).map((item) => item.status);
  const taken = statuses.filter((status) => status === 202).length;
  assert.ok(taken >= 300 && taken < 306, `${taken}`);
  assert.deepEqual(statuses.slice(0, taken), Array(taken).fill(202), "the first ones");
  assert.equal(itemsOf(body)[taken]?.problem?.code, "rate-limited");
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.equal((await post(service, PATH, { items })).status, 429, "nothing left: the whole request waits");
});

test("bodies: empty, too many, too large, not the form", async (t) => {
  const service = await runService(t);
  const tooMany = Array.from({ length: 1_001 }, (_, n) => commitment(n));
  const cases = [
    [{}, 422, "/items"],
    [{ items: [] }, 422, "/items"],
    [{ items: {} }, 422, "/items"],
    [[], 422, ""],
    [{ items: tooMany }, 422, "/items"],
  ] as const;
  for (const [body, status, pointer] of cases) {
    const answer = await post(service, PATH, body);
    assert.equal(answer.status, status);
    assert.equal((answer.body.errors as { pointer: string }[])[0]?.pointer, pointer);
  }
  const large = { ...commitment(1), metadata: null, ignored: "x".repeat(3 * 1024 * 1024) };
  assert.equal((await post(service, PATH, { items: [large] })).status, 200, "more than a single submission's body");
  const tooLarge = await post(service, PATH, { items: [{ ...large, ignored: "x".repeat(32 * 1024 * 1024) }] });
  assert.equal(tooLarge.status, 413);
  assert.deepEqual((await call(service, "/v1/proofs?external_id=none")).body, { items: [] });
});

test("a few large bodies at once are enough; slow ones do not keep others out for ever", async (t) => {
  const service = await runService(t);
  const { hostname, port } = new URL(service.url);
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\n`;
  const slow = Array.from({ length: 4 }, () => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(`${head}content-length: 1000000\r\n\r\n{`);
    t.after(() => socket.destroy());
    return socket;
  });
  const refused = await until("the fifth is refused", async () => {
    const answer = await post(service, PATH, { items: [commitment(1)] });
    return answer.status === 503 && answer;
  });
  assert.equal(refused.body.code, "queue-full");
  assert.equal(refused.headers.get("retry-after"), "1");
  for (const socket of slow) socket.destroy();
  await until(
    "there is room again",
    async () => (await post(service, PATH, { items: [commitment(1)] })).status === 200,
  );
});
