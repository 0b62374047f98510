import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { DeliveryResource, WebhookResource } from "@cairn/api";
import { Webhook as Oracle } from "standardwebhooks";
import type { RunningService } from "../index.ts";
import { type Answer, call, post, runService, temporaryHome, until } from "../testing/fixture.ts";
import { openReceiver } from "../testing/receiver.ts";

const commitment = (n: number, o: object = {}) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "hooks",
  ...o,
});
const SUBMIT = "/v1/submit-proof";
const HOOKS = "/v1/webhooks";
const FAST = { retryMs: [50, 50, 50], maxPauseMs: 50 };

const hookOf = (answer: Answer) => answer.body as unknown as WebhookResource;
async function create(service: RunningService, body: object): Promise<WebhookResource> {
  const answer = await post(service, HOOKS, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return hookOf(answer);
}
const read = async (service: RunningService, id: string) => hookOf(await call(service, `${HOOKS}/${id}`));
const deliveries = async (service: RunningService, id: string, query = "") =>
  (await call(service, `${HOOKS}/${id}/deliveries${query}`)).body.items as readonly DeliveryResource[];

test("what happens is delivered signed, in order for each submission", async (t) => {
  const service = await runService(t);
  await post(service, SUBMIT, commitment(0));
  const receiver = await openReceiver(t);
  const hook = await create(service, { url: receiver.url, description: "mine" });
  assert.match(hook.secret ?? "", /^whsec_[A-Za-z0-9+/]{43}=$/);
  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => String((await post(service, SUBMIT, commitment(n + 1))).body.id)),
  );
  const statesOf = (id: string) =>
    receiver.arrived.filter(({ message }) => message.data.id === id).map(({ message }) => message.data.state);
  await until("all arrived", async () => ids.every((id) => statesOf(id).length >= 3));
  for (const id of ids) assert.deepEqual(statesOf(id).slice(0, 3), ["received", "verified", "batched"]);
  const oracle = new Oracle(hook.secret ?? "");
  for (const { body, headers, message, id } of receiver.arrived) {
    assert.deepEqual(oracle.verify(body, headers as Record<string, string>), message);
    assert.equal(headers["content-type"], "application/json");
    assert.match(headers["user-agent"] ?? "", /^Cairn-Webhooks\/.+ \(sandbox\)$/);
    assert.ok(id.endsWith(`_${message.event_id}`));
  }
  assert.equal(new Set(receiver.arrived.map(({ id }) => id)).size, receiver.arrived.length, "once each");
  const shown = await read(service, hook.id);
  assert.equal(shown.secret, undefined, "shown once");
  assert.equal(shown.description, "mine");
  const [newest] = await deliveries(service, hook.id, "?state=delivered&limit=1");
  assert.equal(newest?.last_status, 204);
});

test("a webhook without types, or with none, follows all; what is listed can be sent back", async (t) => {
  const service = await runService(t);
  const receiver = await openReceiver(t);
  const description = "round trip";
  for (const events of [undefined, [], ["submission.received", "submission.batched"]]) {
    const made = await create(service, { url: receiver.url, chain_id: "hooks", description, events });
    assert.deepEqual(made.events, events ?? []);
    const listed = (await call(service, HOOKS)).body.items as readonly WebhookResource[];
    const shown = listed.find(({ id }) => id === made.id);
    const again = await create(service, { ...shown });
    for (const name of ["url", "events", "chain_id", "description"] as const) assert.deepEqual(again[name], made[name]);
  }
  await post(service, SUBMIT, commitment(1));
  await until(
    "all got it",
    async () => receiver.arrived.filter(({ message }) => message.data.state === "batched").length === 6,
  );
  assert.equal(receiver.arrived.filter(({ message }) => message.data.state === "verified").length, 4);
});

test("filters; made once under a key; forgotten when deleted; others' are not seen; a bounded number", async (t) => {
  const service = await runService(t);
  const receiver = await openReceiver(t);
  const body = { url: receiver.url, events: ["submission.rejected"], chain_id: "Other" };
  const key = { "idempotency-key": "k" };
  const [first, again] = [await post(service, HOOKS, body, key), await post(service, HOOKS, body, key)];
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get("location"), `${HOOKS}/${first.body.id}`);
  await post(service, SUBMIT, { proof_data: "?", chain_id: "hooks" });
  await post(service, SUBMIT, commitment(1, { chain_id: "other" }));
  const wanted = await post(service, SUBMIT, { proof_data: "?", chain_id: "OTHER" });
  await until("it arrived", async () => receiver.arrived.length > 0);
  const [only] = receiver.arrived;
  assert.equal(only?.message.data.id, wanted.body.id);
  assert.equal(only?.message.data.error?.code, "unrecognised-format");
  assert.equal((await call(service, `${HOOKS}/${first.body.id}`, { method: "DELETE" })).status, 204);
  assert.equal((await call(service, `${HOOKS}/${first.body.id}`)).status, 404);
  assert.equal((await call(service, `${HOOKS}/${first.body.id}/deliveries`)).status, 404);
  for (let n = 0; n < 20; n += 1) await create(service, { url: `${receiver.url}/${n}` });
  const full = await post(service, HOOKS, { url: receiver.url });
  assert.equal(full.status, 409);
  assert.equal(full.body.code, "too-many-webhooks");
  assert.equal(((await call(service, HOOKS)).body.items as unknown[]).length, 20);
});

test("URLs that may not be called are refused by their pointer", async (t) => {
  const service = await runService(t);
  for (const url of [
    "http://10.0.0.1/",
    "http://169.254.169.254/latest",
    "ftp://x/",
    "nothing",
    "https://u:p@x.org/",
  ]) {
    const refused = await post(service, HOOKS, { url });
    assert.equal(refused.status, 422, url);
    assert.equal((refused.body.errors as { pointer: string }[])[0]?.pointer, "/url");
  }
  const faults = await post(service, HOOKS, { url: 5, events: ["submission.lost"], chain_id: "-" });
  assert.deepEqual(
    (faults.body.errors as { pointer: string }[]).map((error) => error.pointer),
    ["/url", "/events/0", "/chain_id"],
  );
});

test("what fails is tried again under the same id, then kept as a dead letter that can be replayed", async (t) => {
  const service = await runService(t, { deliveryPolicy: FAST });
  const receiver = await openReceiver(t);
  receiver.answer((response) => response.writeHead(500).end("x".repeat(1_000_000)));
  const hook = await create(service, { url: receiver.url, events: ["submission.received"] });
  await post(service, SUBMIT, commitment(1));
  await until("it is given up", async () => (await read(service, hook.id)).dead === 1);
  assert.equal(receiver.arrived.length, 4);
  assert.equal(new Set(receiver.arrived.map(({ id }) => id)).size, 1);
  const [dead] = await deliveries(service, hook.id, "?state=dead");
  assert.deepEqual([dead?.attempts, dead?.last_status, dead?.last_error], [4, 500, "status"]);
  assert.ok((await read(service, hook.id)).failing_since !== undefined);
  receiver.answer((response) => response.writeHead(200).end());
  assert.deepEqual((await post(service, `${HOOKS}/${hook.id}/replay`, { dead: true })).body, { queued: 1 });
  await until("it is delivered", async () => (await deliveries(service, hook.id, "?state=delivered")).length === 1);
  assert.equal((await read(service, hook.id)).failing_since, undefined);
  const one = await post(service, `${HOOKS}/${hook.id}/replay`, { delivery_id: dead?.id });
  assert.equal(one.status, 202);
  await until("and once more", async () => receiver.arrived.length === 6);
  const since = await post(service, `${HOOKS}/${hook.id}/replay`, { since: "0" });
  assert.deepEqual([since.status, since.body.queued], [202, 1]);
  await until("all from the start", async () => receiver.arrived.length === 7);
  assert.equal(new Set(receiver.arrived.map(({ id }) => id)).size, 1, "always the same id");
  for (const [body, status] of [
    [{}, 422],
    [{ dead: true, since: "0" }, 422],
    [{ dead: false }, 422],
    [{ since: "-1" }, 422],
    [{ delivery_id: "msg_x_1" }, 404],
  ] as const) {
    assert.equal((await post(service, `${HOOKS}/${hook.id}/replay`, body)).status, status, JSON.stringify(body));
  }
});

test("redirects are not followed, 410 ends the webhook, a replay begins it again", async (t) => {
  const service = await runService(t, { deliveryPolicy: FAST });
  const target = await openReceiver(t);
  const receiver = await openReceiver(t);
  receiver.answer((response) => response.writeHead(307, { location: target.url }).end());
  const hook = await create(service, { url: receiver.url });
  await post(service, SUBMIT, commitment(1));
  await until("a redirect is a failure", async () =>
    (await deliveries(service, hook.id)).some((delivery) => delivery.last_error === "redirect"),
  );
  receiver.answer((response) => response.writeHead(410).end());
  const gone = await until("it is disabled", async () => {
    const now = await read(service, hook.id);
    return now.state === "disabled" && now;
  });
  assert.equal(gone.disabled_reason, "gone");
  assert.equal(gone.pending, 0);
  assert.equal(target.arrived.length, 0);
  await post(service, SUBMIT, commitment(2));
  receiver.answer((response) => response.writeHead(200).end());
  const before = receiver.arrived.length;
  await post(service, `${HOOKS}/${hook.id}/replay`, { since: "0" });
  await until("everything came", async () => receiver.arrived.length >= before + 6);
  assert.equal((await read(service, hook.id)).state, "enabled");
});

test("an endpoint that fails for too long is disabled, what waits becomes dead letters", async (t) => {
  const service = await runService(t, { deliveryPolicy: { retryMs: [60_000], maxPauseMs: 20, disableAfterMs: 300 } });
  const hook = await create(service, { url: "http://127.0.0.1:1/" });
  let n = 0;
  const disabled = await until("it is disabled", async () => {
    await post(service, SUBMIT, commitment(n));
    n += 1;
    const now = await read(service, hook.id);
    return now.state === "disabled" && now;
  });
  assert.equal(disabled.disabled_reason, "failing");
  assert.equal(disabled.pending, 0);
  assert.ok(disabled.dead > 0);
});

test("receivers that never answer, or answer without end, disturb nobody", { timeout: 60_000 }, async (t) => {
  const service = await runService(t, { deliveryPolicy: { ...FAST, timeoutMs: 120_000 } });
  const [silent, endless, good] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)];
  silent.answer(() => {});
  endless.answer((response) => {
    response.writeHead(200);
    const flood = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      if (!response.destroyed) response.once("drain", flood);
    };
    flood();
  });
  const stuck = await Promise.all(Array.from({ length: 10 }, (_, n) => create(service, { url: `${silent.url}/${n}` })));
  await create(service, { url: endless.url });
  await create(service, { url: good.url });
  const ids = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => String((await post(service, SUBMIT, commitment(n))).body.id)),
  );
  const isDone = (id: string) =>
    good.arrived.some(({ message }) => message.data.id === id && message.data.state === "batched");
  await until("the good one has everything", async () => ids.every(isDone));
  await until("the endless one counts as delivered", async () => endless.arrived.length >= 90);
  const { pending } = await read(service, stuck[0]?.id ?? "");
  assert.equal(pending, 90, "the silent ones still hang");
  const closing = performance.now();
  await service.close();
  assert.ok(performance.now() - closing < 20_000, "closing waits for none of them");
});

test("an attempt has its time", async (t) => {
  const service = await runService(t, { deliveryPolicy: { ...FAST, timeoutMs: 200 } });
  const silent = await openReceiver(t);
  silent.answer(() => {});
  const hook = await create(service, { url: silent.url });
  await post(service, SUBMIT, commitment(1));
  await until("it is over", async () =>
    (await deliveries(service, hook.id)).some((delivery) => delivery.last_error === "timeout"),
  );
});

test("a new secret signs at once, the one before for a day more", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const receiver = await openReceiver(t);
  const hook = await create(service, { url: receiver.url, events: ["submission.received"] });
  const rotated = hookOf(await post(service, `${HOOKS}/${hook.id}/rotate-secret`, ""));
  assert.notEqual(rotated.secret, hook.secret);
  const leftMs = Date.parse(rotated.previous_secret_until ?? "") - Date.now();
  assert.ok(leftMs > 86_000_000 && leftMs <= 86_400_000);
  await post(service, SUBMIT, commitment(1));
  const [both] = await until("it arrived", async () => receiver.arrived.length > 0 && receiver.arrived);
  assert.ok(both);
  assert.equal(String(both.headers["webhook-signature"]).split(" ").length, 2);
  for (const secret of [hook.secret, rotated.secret]) {
    new Oracle(secret ?? "").verify(both.body, both.headers as Record<string, string>);
  }
  const database = new DatabaseSync(join(home, "service/delivery.db"));
  database.exec("UPDATE webhooks SET previous_until = 1");
  database.close();
  await post(service, SUBMIT, commitment(2));
  const later = await until("the next arrived", async () => receiver.arrived[1]);
  assert.equal(String(later.headers["webhook-signature"]).split(" ").length, 1);
  new Oracle(rotated.secret ?? "").verify(later.body, later.headers as Record<string, string>);
});
