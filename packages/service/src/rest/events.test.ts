import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openAccounts } from "../accounts/accounts.ts";
import { createApiKey } from "../accounts/api-key.ts";
import { type EventSource, openEvents } from "../testing/event-source.ts";
import { call, post, runService, temporaryHome, until } from "../testing/fixture.ts";

const commitment = (n: number, o: object = {}) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "events",
  ...o,
});
const PATH = "/v1/submit-proof";

test("a submission's states arrive as they are reached, with what names it", async (t) => {
  const service = await runService(t);
  await post(service, PATH, commitment(0));
  const stream = await openEvents(t, service);
  assert.equal(stream.status, 200);
  assert.equal(stream.headers["content-type"], "text/event-stream");
  assert.equal(stream.headers["cache-control"], "no-store");
  const { body } = await post(service, PATH, commitment(1, { external_id: "mine", block_number: "0x10" }));
  const own = () => stream.events.filter((event) => event.message.data.id === body.id);
  await until("it is batched", async () => own().length >= 3);
  assert.deepEqual(
    own().map((event) => event.type),
    ["submission.received", "submission.verified", "submission.batched"],
  );
  const [first] = own();
  assert.equal(first?.message.type, first?.type);
  assert.equal(first?.message.event_id, first?.id);
  assert.equal(first?.message.environment, "sandbox");
  assert.equal(first?.message.timestamp, body.received_at);
  assert.deepEqual(first?.message.data, {
    id: body.id,
    state: "received",
    chain_id: "events",
    block_number: "16",
    external_id: "mine",
    status_url: body.status_url,
    receipt_url: body.receipt_url,
  });
  const bad = await post(service, PATH, { proof_data: "?", chain_id: "events" });
  const rejected = await until("it is rejected", async () =>
    stream.events.find((event) => event.message.data.id === bad.body.id && event.type === "submission.rejected"),
  );
  assert.equal(rejected.message.data.error?.code, "unrecognised-format");
});

test("whoever comes back gets what was missed, nothing twice, also after a restart", { timeout: 60_000 }, async (t) => {
  const home = temporaryHome(t);
  let service = await runService(t, { home });
  const seen: string[] = [];
  let last = "0";
  let sent = 0;
  for (let round = 0; round < 6; round += 1) {
    const stream = await openEvents(t, service, { headers: { "last-event-id": last } });
    for (let n = 0; n < 30; n += 1, sent += 1) void post(service, PATH, commitment(sent)).catch(() => {});
    const enough = 1 + ((round * 37) % 50);
    await until("some arrived", async () => stream.events.length >= enough);
    stream.close();
    seen.push(...stream.events.map((event) => event.id));
    last = stream.lastEventId();
    if (round === 3) {
      await service.close();
      service = await runService(t, { home });
    }
  }
  const quiet = async () => {
    const { body } = await call(service, "/metrics");
    return /submissions\{state="received"\} 0/.test(String(body.text));
  };
  await until("all is judged", quiet);
  const rest = await openEvents(t, service, { query: `?since=${last}` });
  const database = new DatabaseSync(join(home, "service/service.db"), { readOnly: true });
  t.after(() => database.close());
  const durable = () =>
    database
      .prepare("SELECT seq FROM events ORDER BY seq")
      .all()
      .map((row) => String(row.seq));
  const read = () => [...seen, ...rest.events.map((event) => event.id)];
  await until("everything arrived", async () => read().length >= durable().length && durable().length > 2 * sent);
  assert.deepEqual(read(), durable());
});

test("filters by state and chain; the place in the stream moves on without them", async (t) => {
  const service = await runService(t, { eventHeartbeatMs: 100 });
  const states = await openEvents(t, service, { query: "?state=batched,rejected" });
  const chain = await openEvents(t, service, { query: "?chain_id=OTHER" });
  const a = await post(service, PATH, commitment(1));
  const b = await post(service, PATH, commitment(2, { chain_id: "other" }));
  await until("both are batched", async () => states.events.length === 2 && chain.events.length === 3);
  assert.deepEqual(new Set(states.events.map((event) => event.message.data.id)), new Set([a.body.id, b.body.id]));
  assert.ok(chain.events.every((event) => event.message.data.id === b.body.id));
  await until("the heartbeat has the newest number", async () => chain.lastEventId() === states.lastEventId());
  await until("a heartbeat came", async () => chain.comments.includes("heartbeat"));
});

test("a wrong place or filter is named", async (t) => {
  const service = await runService(t);
  for (const [query, parameter] of [
    ["since=-1", "since"],
    ["since=2026-11-21T00:00:00Z", "since"],
    ["state=done", "state"],
    ["chain_id=a&chain_id=b", "chain_id"],
    ["chain_id=-", "chain_id"],
  ] as const) {
    const refused = await call(service, `/v1/events?${query}`);
    assert.equal(refused.status, 400);
    assert.equal((refused.body.errors as { parameter: string }[])[0]?.parameter, parameter);
  }
  for (const sent of ["x", "-1", "01", "1, 2", "1".repeat(40)]) {
    const refused = await call(service, "/v1/events?since=0", { headers: { "last-event-id": sent } });
    assert.deepEqual([refused.status, refused.body.code], [400, "invalid-header"], sent);
    const [error] = refused.body.errors as readonly object[];
    assert.deepEqual(error, { header: "Last-Event-ID", code: "invalid", detail: "must be the id of an event" });
  }
  const head = await fetch(`${service.url}/v1/events`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${createApiKey("sandbox", randomBytes).text}` },
  });
  assert.equal(head.status, 401);
});

test("a key has a few streams and sees its account only; they end with it", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const accounts = openAccounts(join(home, "service/accounts.db"), "sandbox");
  t.after(() => accounts.close());
  const token = createApiKey("sandbox", randomBytes).text;
  accounts.adoptToken(token, { account: "other", label: "mine" }, Date.now());
  const streams: EventSource[] = [];
  for (let n = 0; n < 8; n += 1) streams.push(await openEvents(t, service, { token, query: "?since=0" }));
  const ninth = await openEvents(t, service, { token });
  assert.equal(ninth.status, 429);
  assert.ok(ninth.headers["retry-after"]);
  const theirs = await openEvents(t, service, { query: "?since=0" });
  assert.equal(theirs.status, 200, "another key has its own");
  streams[7]?.close();
  const again = await until("a place is free", async () => {
    const opened = await openEvents(t, service, { token });
    return opened.status === 200 && opened;
  });
  await post(service, PATH, commitment(1));
  await until("the owner sees it", async () => theirs.events.length > 0);
  const mine = await post(service, PATH, commitment(2), { authorization: `Bearer ${token}` });
  const isMine = (event: { message: { data: { id: string } } }) => event.message.data.id === mine.body.id;
  await until("each of the key's streams has its own", async () =>
    [...streams.slice(0, 7), again].every((stream) => stream.events.some(isMine)),
  );
  assert.ok(streams[0]?.events.every(isMine), "and nothing of another account");
  accounts.adoptToken(createApiKey("sandbox", randomBytes).text, { account: "other", label: "mine" }, Date.now());
  await Promise.all([...streams.slice(0, 7), again].map((stream) => stream.ended));
  assert.equal((await openEvents(t, service, { token })).status, 401);
});
