/** What many callers ask for costs as much as what one asks for. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { call, post, runService, until } from "../testing/fixture.ts";
import { coalesced } from "./coalesced.ts";

test("one reading serves those that come while it goes on and shortly after; a failed one is not kept", async () => {
  let asked = 0;
  const read = coalesced(60_000, async () => {
    asked += 1;
    if (asked === 1) throw new Error("not now");
    return asked;
  });
  assert.deepEqual(
    (await Promise.allSettled([read(), read()])).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(asked, 1);
  assert.deepEqual(await Promise.all([read(), read()]), [2, 2]);
  assert.equal(await read(), 2);
  let again = 0;
  const short = coalesced(0, async () => {
    again += 1;
  });
  await short();
  await short();
  assert.equal(again, 2);
});

test("a crowd at /readyz asks the node as often as one caller", async (t) => {
  let asked = 0;
  const node = createServer((_request, response) => {
    asked += 1;
    setTimeout(() => response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}'), 100);
  }).listen(0, "127.0.0.1");
  await once(node, "listening");
  t.after(() => {
    node.closeAllConnections();
    node.close();
  });
  const address = node.address();
  assert.ok(address !== null && typeof address === "object");
  const service = await runService(t, { nodeRpcUrl: `http://127.0.0.1:${address.port}` });
  const [before, startedMs] = [asked, performance.now()];
  await Promise.all(Array.from({ length: 200 }, () => call(service, "/readyz")));
  const rounds = (performance.now() - startedMs) / 500 + 2;
  // The workers ask as well, each on its own time.
  assert.ok(asked - before < 20 * rounds, `${asked - before} questions`);
});

test("long polls of a key are bounded; beyond, a preference is not applied and the answer comes at once", async (t) => {
  const service = await runService(t);
  const proof_data = JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${"01".repeat(32)}` });
  const { body } = await post(service, "/v1/submit-proof", { proof_data, chain_id: "polls" });
  const path = `/v1/proofs/${body.id}`;
  // Nothing follows without a chain node.
  await until("it rests", async () => (await call(service, path)).body.state === "batched");
  const prefer = { headers: { prefer: "wait=3" } };
  const startedMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 140 }, async () => {
      const { status, headers } = await call(service, path, prefer);
      assert.equal(status, 200);
      return { isApplied: headers.get("preference-applied") === "wait=3", atMs: performance.now() - startedMs };
    }),
  );
  assert.equal(answers.filter(({ isApplied }) => isApplied).length, 128);
  for (const { isApplied, atMs } of answers) assert.equal(atMs >= 2_900, isApplied, `${atMs}`);
  const after = await call(service, path, { headers: { prefer: "wait=1" } });
  assert.equal(after.headers.get("preference-applied"), "wait=1", "places are given back");
});
