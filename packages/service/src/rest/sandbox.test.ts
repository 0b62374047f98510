import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestLogEntry } from "@cairn/api";
import type { RunningService } from "../index.ts";
import { call, post, runService, TOKEN, temporaryHome, until } from "../testing/fixture.ts";
import { endpoints, KEYS, runNode } from "../testing/node-fixture.ts";
import { openReceiver } from "../testing/receiver.ts";

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "debug",
});
const SUBMIT = "/v1/submit-proof";
const DEBUG = "/v1/sandbox";
const faults = (service: RunningService, body: object) => post(service, `${DEBUG}/service-faults`, body);
const NEVER = { batchIntervalMs: 3_600_000, batchSlots: 512, anchorPeriodMs: 3_600_000, finalDepth: 3 };

test("requests are remembered by their id, without bodies and credentials", async (t) => {
  const service = await runService(t);
  const secret = { ...commitment(1), metadata: "private" };
  await post(service, SUBMIT, secret, { "x-request-id": "good-1" });
  await post(service, SUBMIT, { chain_id: 5 }, { "x-request-id": "bad-1", "user-agent": "my client" });
  const bad = await call(service, `${DEBUG}/requests/bad-1`);
  assert.equal(bad.status, 200);
  assert.equal(bad.body.status, 422);
  assert.equal(bad.body.code, "invalid-body");
  assert.equal(bad.body.user_agent, "my client");
  assert.deepEqual(
    (bad.body.errors as { pointer: string }[]).map((error) => error.pointer),
    ["/proof_data", "/chain_id"],
  );
  const { body } = await call(service, `${DEBUG}/requests?limit=5`);
  const ids = (body.items as RequestLogEntry[]).map((entry) => entry.request_id);
  assert.deepEqual(ids.slice(1), ["bad-1", "good-1"]);
  assert.doesNotMatch(JSON.stringify(body), new RegExp(`${TOKEN}|private|commitment`));
  assert.equal((await call(service, `${DEBUG}/requests/nobody`)).status, 404);
  for (let n = 0; n < 1_010; n += 1) await call(service, "/v1/webhooks");
  assert.equal((await call(service, `${DEBUG}/requests/good-1`)).status, 404, "a bounded number");
});

test("a submission is verified again and handed in anew", async (t) => {
  const service = await runService(t);
  const first = await post(service, SUBMIT, commitment(1), { prefer: "wait=20" });
  const again = await call(service, `${DEBUG}/proofs/${first.body.id}/replay`, { method: "POST" });
  assert.equal(again.status, 202);
  assert.equal((again.body.verdict as { valid: boolean }).valid, true);
  const { id } = again.body.submission as { id: string };
  assert.notEqual(id, first.body.id);
  const stored = await until("it is verified too", async () => {
    const { body } = await call(service, `/v1/proofs/${id}`);
    return body.state !== "received" && body;
  });
  assert.match(String(stored.source), new RegExp(`^replay\\|${first.body.id}\\|`));
  assert.equal((await call(service, `${DEBUG}/proofs/0x${"11".repeat(32)}/replay`, { method: "POST" })).status, 404);
});

test("batches, anchors and blocks when they are asked for; a reorganisation; faults on the way", {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const bitcoin = { kind: "embedded", host: "127.0.0.1", port: 0, blockIntervalMs: 0 } as const;
  const service = await runService(t, { home, ...KEYS, ...endpoints(node), bitcoin, policy: NEVER });
  assert.deepEqual((await post(service, `${DEBUG}/batches`, "")).body, { batch: null });
  const { body: sent } = await post(service, SUBMIT, commitment(1), { prefer: "wait=20" });
  await faults(service, { chain_unreachable: true });
  assert.deepEqual((await post(service, `${DEBUG}/batches`, "")).body, { batch: 1 });
  assert.equal(((await call(service, "/v1/status")).body.chain as { reachable: boolean }).reachable, false);
  assert.equal((await call(service, `/v1/proofs/${sent.id}`)).body.state, "batched");
  await faults(service, { chain_unreachable: false });
  const stateIs = (state: string) => async () => (await call(service, `/v1/proofs/${sent.id}`)).body.state === state;
  await until("it is settled", stateIs("settled"), 60_000);
  await until("an anchor is made", async () => {
    await post(service, `${DEBUG}/anchors`, "");
    return ((await call(service, "/v1/anchors")).body.items as unknown[]).length === 1;
  });
  const mined = await post(service, `${DEBUG}/bitcoin/blocks`, { count: 2 });
  assert.equal((mined.body.blocks as string[]).length, 2);
  await until("it is anchored", async () => {
    if (await stateIs("anchored")()) return true;
    await post(service, `${DEBUG}/bitcoin/blocks`, {});
    return false;
  });
  const { body: second } = await post(service, SUBMIT, commitment(2), { prefer: "wait=20" });
  assert.deepEqual((await post(service, `${DEBUG}/batches`, "")).body, { batch: 2 });
  await until("it is settled", async () => (await call(service, `/v1/proofs/${second.id}`)).body.state === "settled");
  const forced = await post(service, `${DEBUG}/anchors`, "");
  assert.deepEqual(forced.body, { anchor: 2 }, "an hour before its time");
  const height = Number((await post(service, `${DEBUG}/bitcoin/blocks`, {})).body.height);
  const { body: submission } = await call(service, `/v1/proofs/${sent.id}`);
  const depth = height - (submission.anchor as { height: number }).height + 1;
  const reorg = await post(service, `${DEBUG}/bitcoin/reorg`, { depth });
  assert.equal(reorg.body.height, height + 1);
  await until("it is settled again", async () => {
    const { body } = await call(service, `/v1/proofs/${sent.id}`);
    return (body.history as { state: string }[]).filter((entry) => entry.state === "settled").length === 2;
  });
  for (const [path, body] of [
    ["bitcoin/reorg", { depth: 51 }],
    ["bitcoin/blocks", { count: 0 }],
    ["service-faults", { verifier_delay_ms: -1 }],
  ] as const) {
    assert.equal((await post(service, `${DEBUG}/${path}`, body)).status, 422);
  }
});

test("a slow verifier and failing webhooks", async (t) => {
  const service = await runService(t, { deliveryPolicy: { retryMs: [50, 50, 50, 50], maxPauseMs: 50 } });
  const receiver = await openReceiver(t);
  const hook = await post(service, "/v1/webhooks", { url: receiver.url, events: ["submission.received"] });
  const set = await faults(service, { verifier_delay_ms: 60_000, webhooks_failing: true });
  assert.deepEqual(set.body, {
    verifier_delay_ms: 60_000,
    chain_unreachable: false,
    bitcoin_unreachable: false,
    webhooks_failing: true,
  });
  assert.deepEqual((await faults(service, { verifier_delay_ms: 1 })).body.webhooks_failing, true, "the rest stays");
  await faults(service, { verifier_delay_ms: 2_000 });
  const slow = await post(service, SUBMIT, commitment(1), { prefer: "wait=1" });
  assert.equal(slow.body.state, "received");
  const deliveries = `/v1/webhooks/${hook.body.id}/deliveries`;
  await until("its delivery fails", async () =>
    ((await call(service, deliveries)).body.items as { last_error?: string }[]).some(
      (delivery) => delivery.last_error === "fault-switch",
    ),
  );
  assert.equal(receiver.arrived.length, 0);
  await faults(service, { webhooks_failing: false, verifier_delay_ms: 0 });
  await post(service, `/v1/webhooks/${hook.body.id}/replay`, { since: "0" });
  await until("it arrives", async () => receiver.arrived.length > 0);
  await until(
    "it is judged",
    async () => (await call(service, `/v1/proofs/${slow.body.id}`)).body.state !== "received",
  );
});
