/** A store that another process holds: submissions are refused with 503 and nothing is lost; then all goes on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { StoreLostError } from "@cairn/aggregator";
import { startService } from "./service.ts";
import { call, post, runService, serviceOptions, temporaryHome, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", value: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "trouble",
});

test("a store whose thread is gone ends the service, which says why", { timeout: 60_000 }, async (t) => {
  const thread = Promise.withResolvers<Worker>();
  process.once("worker", thread.resolve);
  const service = await startService(serviceOptions(temporaryHome(t)));
  await (await thread.promise).terminate();
  await assert.rejects(service.failed, StoreLostError);
  assert.equal((await post(service, "/v1/submit-proof", commitment(1))).status, 503);
  await service.close();
});

test("a locked database answers 503 with Retry-After, and recovers without a restart", {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await runService(t, { home, ...KEYS, ...endpoints(node) });
  const before = await post(service, "/v1/submit-proof", commitment(1));
  assert.equal(before.status, 202);
  const other = new DatabaseSync(join(home, "service/service.db"), { timeout: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  const refused = await post(service, "/v1/submit-proof", commitment(2));
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.equal((await call(service, "/healthz")).status, 200);
  other.exec("ROLLBACK");
  other.close();
  const id = String(
    await until("submissions are taken again", async () => {
      const again = await post(service, "/v1/submit-proof", commitment(2));
      return again.status === 202 && again.body.id;
    }),
  );
  for (const each of [String(before.body.id), id]) {
    const settled = async () =>
      ["settled", "anchored", "final"].includes(String((await call(service, `/v1/proofs/${each}`)).body.state));
    await until("workers went on", settled, 60_000);
  }
});
