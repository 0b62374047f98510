import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { openAccounts } from "../accounts/accounts.ts";
import { createApiKey } from "../accounts/api-key.ts";
import { openOperator } from "../accounts/operator.ts";
import type { RunningService } from "../service.ts";
import { openEvents } from "../testing/event-source.ts";
import { call, post, runService, temporaryHome, until } from "../testing/fixture.ts";
import { openReceiver } from "../testing/receiver.ts";
import { METRICS, type MetricFamily, renderMetricsReference } from "./catalogue.ts";

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "metrics",
});

/** Every sample by its name with labels. */
async function samples(service: RunningService): Promise<ReadonlyMap<string, number>> {
  const { body } = await call(service, "/metrics", { headers: { authorization: "" } });
  const lines = String(body.text).split("\n");
  return new Map(
    lines.flatMap((line): [string, number][] => {
      const [, name, value] = /^([a-z_]+(?:\{[a-z]+="[^"]+"\})?) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)]];
    }),
  );
}

test("what is served is the catalogue, kinds and labels included; the page names all", async (t) => {
  const service = await runService(t);
  const { body } = await call(service, "/metrics");
  const served = [...String(body.text).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
  assert.deepEqual(
    served,
    Object.entries<MetricFamily>(METRICS).map(([name, { type }]) => [name, type]),
  );
  for (const line of String(body.text).split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name = "", label] = /^([a-z_]+)(?:\{([a-z]+)="[^"]+"\})? -?[\d.e+]+$/.exec(line) ?? [];
    const family: MetricFamily | undefined = Object.entries(METRICS).find(([known]) => known === name)?.[1];
    assert.ok(family !== undefined && family.label === label, line);
  }
  const page = renderMetricsReference();
  for (const name of Object.keys(METRICS)) assert.ok(page.includes(`| \`${name}\` |`), name);
});

test("event streams: open, sent, ended and why", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const file = join(home, "service/accounts.db");
  const accounts = openAccounts(file, "sandbox");
  t.after(() => accounts.close());
  const key = createApiKey("sandbox", randomBytes);
  accounts.adoptToken(key.text, { account: "sandbox", label: "mine" }, Date.now());
  const first = await openEvents(t, service);
  const second = await openEvents(t, service, { token: key.text, query: "?state=received" });
  await post(service, "/v1/submit-proof", commitment(1));
  await until("both have it", async () => first.events.length >= 3 && second.events.length === 1);
  const open = await samples(service);
  assert.equal(open.get("cairn_event_streams_open"), 2);
  assert.equal(open.get("cairn_event_stream_events_total"), first.events.length + 1);
  const operator = openOperator(file, { actor: "ann", now: Date.now });
  t.after(() => operator.close());
  operator.revokeKey(key.id);
  await second.ended;
  first.close();
  const ended = await until("both ended", async () => {
    const now = await samples(service);
    return now.get("cairn_event_streams_open") === 0 && now;
  });
  assert.equal(ended.get('cairn_event_streams_ended_total{reason="not-allowed"}'), 1);
  assert.equal(ended.get('cairn_event_streams_ended_total{reason="closed"}'), 1);
  assert.equal(ended.get('cairn_event_streams_ended_total{reason="too-slow"}'), 0);
});

test("webhooks: attempts by outcome, what waits, what was given up", { timeout: 90_000 }, async (t) => {
  const service = await runService(t, { deliveryPolicy: { retryMs: [10], maxPauseMs: 10 } });
  const [good, bad, gone, away] = [
    await openReceiver(t),
    await openReceiver(t),
    await openReceiver(t),
    await openReceiver(t),
  ];
  bad.answer((response) => response.writeHead(500).end());
  gone.answer((response) => response.writeHead(410).end());
  away.answer(() => {});
  for (const { url } of [good, bad, gone, away]) {
    await post(service, "/v1/webhooks", { url, events: ["submission.received"] });
  }
  await post(service, "/v1/submit-proof", commitment(1));
  const seen = await until("all is counted", async () => {
    const now = await samples(service);
    return now.get("cairn_webhook_dead_letters") === 2 && now.get("cairn_webhook_queue") === 1 && now;
  });
  const attempts = ["delivered", "failed", "gone"].map((o) => seen.get(`cairn_webhook_attempts_total{outcome="${o}"}`));
  assert.deepEqual(attempts, [1, 2, 1]);
  assert.equal(seen.get('cairn_webhooks{state="enabled"}'), 3);
  assert.equal(seen.get('cairn_webhooks{state="disabled"}'), 1);
});
