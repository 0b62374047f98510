/** A keyed request whose answer was lost: its repeat is answered as it would have been, whatever the crash left. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { privateKeyToAccount } from "viem/accounts";
import type { RunningService } from "../service.ts";
import { atEnd, call, post, proofCases, runService, TOKEN, temporaryHome, until } from "../testing/fixture.ts";
import { openReceiver } from "../testing/receiver.ts";

const CHILD = fileURLToPath(new URL("../testing/sandbox-child.ts", import.meta.url));
const PATH = "/v1/submit-proof";
const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "lost",
  external_id: `mine-${n}`,
  unknown: true,
});

async function startChild(t: TestContext, home: string): Promise<{ process: ChildProcess; url: string }> {
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, CHILD, home], { stdio: ["ignore", "pipe", "inherit"] });
  atEnd(t, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  });
  const [line] = await once(child.stdout, "data");
  return { process: child, url: String(line).trim() };
}

interface Json extends Readonly<Record<string, unknown>> {
  readonly items?: readonly Readonly<Record<string, unknown>>[];
}

async function send(url: string, path: string, body: object, key?: string) {
  const keyed = key === undefined ? {} : { "idempotency-key": key };
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...keyed };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

/** Kills a service after it has stored what a request hands in, before it could keep the answer. */
async function crashBeforeAnswer(t: TestContext, home: string, [path, body, key, sql]: Crash): Promise<void> {
  const child = await startChild(t, home);
  const lock = new DatabaseSync(join(home, "service/delivery.db"));
  lock.exec("BEGIN IMMEDIATE");
  const asked = send(child.url, path, body, key).catch(() => "lost");
  const stored = new DatabaseSync(join(home, "service/service.db"), { readOnly: true });
  await until("it is stored", async () => stored.prepare(sql).get()?.done === 1);
  child.process.kill("SIGKILL");
  await once(child.process, "close");
  assert.equal(await asked, "lost", "nobody was answered");
  stored.close();
  lock.exec("ROLLBACK");
  lock.close();
}

type Crash = readonly [path: string, body: object, key: string, sql: string];

/** What is answered to the request that stores the first commitment. */
function checkFirstAnswer(single: Awaited<ReturnType<typeof send>>): void {
  assert.equal(single.status, 202);
  assert.equal(single.headers.get("idempotency-replayed"), null, "no answer was kept");
  const { id, received_at, status_url, receipt_url, ...rest } = single.body;
  assert.deepEqual(rest, {
    ...{ state: "received", chain_id: "lost", external_id: "mine-1" },
    warnings: [{ pointer: "/unknown", detail: "unknown member, ignored" }],
  });
  assert.equal(single.headers.get("location"), status_url);
  assert.equal(receipt_url, `/v1/proofs/${id}/receipt`);
  assert.ok(Date.parse(String(received_at)) < Date.now() - 1, "received by the service that was killed");
}

test("kill -9 between the change and its answer: the same status and body as the first", {
  timeout: 90_000,
}, async (t) => {
  const home = temporaryHome(t);
  const [valid] = proofCases().filter((item) => item.expected === "valid");
  const { vk, system, encoding } = JSON.parse(valid?.proofData ?? "{}");
  const items = [commitment(2), commitment(3), commitment(2), {}];
  const requests: readonly Crash[] = [
    [PATH, commitment(1), "single", "SELECT count(*) = 1 AS done FROM submissions"],
    ["/v1/submit-proofs", { items }, "batch", "SELECT count(*) = 3 AS done FROM submissions"],
    ["/v1/verification-keys", { system, encoding, vk }, "vk", "SELECT count(*) = 1 AS done FROM verification_keys"],
  ];
  for (const request of requests) await crashBeforeAnswer(t, home, request);
  const { url } = await startChild(t, home);
  const [single, batch, key] = await Promise.all(requests.map(([path, body, name]) => send(url, path, body, name)));
  assert.ok(single && batch && key);
  checkFirstAnswer(single);
  const seen = batch.body.items?.map((item) => [item.status, item.duplicate]);
  assert.deepEqual(seen, [
    [202, undefined],
    [202, undefined],
    [200, true],
    [422, undefined],
  ]);
  for (const item of batch.body.items?.slice(0, 2) ?? []) assert.equal(item.state, "received");
  assert.equal(key.status, 201);
  for (const [path, body, name] of requests) {
    const again = await send(url, path, body, name);
    assert.equal(again.headers.get("idempotency-replayed"), "true", name);
  }
  assert.deepEqual((await send(url, PATH, commitment(1), "single")).body, single.body);
  for (const other of [undefined, "another"]) {
    const plain = await send(url, PATH, commitment(1), other);
    assert.deepEqual([plain.status, plain.body.duplicate], [200, true], "another request finds it known");
  }
  assert.equal((await send(url, "/v1/verification-keys", { system, encoding, vk })).status, 200);
});

/** Everything an account signs to bind a wallet. */
async function bindingOf(service: RunningService): Promise<object> {
  const { body } = await post(service, "/v1/account/wallet", { address: account.address });
  const { nonce, typed_data } = body.challenge as {
    readonly nonce: string;
    readonly typed_data: Parameters<typeof account.signTypedData>[0];
  };
  return { address: account.address, nonce, signature: await account.signTypedData(typed_data) };
}

const account = privateKeyToAccount(`0x${"19".repeat(32)}`);
const LONG_KEY = '"8e03978e-40d5-43e8-bc93-6894a57f9324"';

test("what is made once is made once, also when its answer was not kept", async (t) => {
  const home = temporaryHome(t);
  const receiver = await openReceiver(t);
  let service = await runService(t, { home });
  const keyed = (path: string, body: object, headers: object = {}) =>
    post(service, path, body, { "idempotency-key": LONG_KEY, ...headers });
  const loseAnswers = async (): Promise<void> => {
    await service.close();
    const database = new DatabaseSync(join(home, "service/delivery.db"));
    database.exec("DELETE FROM idempotency");
    database.close();
    service = await runService(t, { home });
  };
  const anonymous = { authorization: "" };
  const request = { organisation: "Acme", contact: "ops@acme.example", chain_ids: ["1"] };
  const binding = await bindingOf(service);
  const hook = await keyed("/v1/webhooks", { url: receiver.url });
  const steps: readonly (() => ReturnType<typeof post>)[] = [
    () => post(service, "/v1/account/wallet", binding, { "idempotency-key": "bind" }),
    () => keyed("/v1/webhooks", { url: receiver.url }),
    () => post(service, `/v1/webhooks/${hook.body.id}/rotate-secret`, {}, { "idempotency-key": "rotate" }),
    () => post(service, "/v1/access-requests", request, { ...anonymous, "idempotency-key": LONG_KEY }),
  ];
  const bare = ({ status, body }: Awaited<ReturnType<typeof post>>) => {
    const { previous_secret_until: _, ...rest } = body;
    return { status, body: rest };
  };
  for (const [index, step] of steps.entries()) {
    const first = await step();
    assert.ok(first.status < 300, `${index}: ${JSON.stringify(first.body)}`);
    assert.equal((await step()).headers.get("idempotency-replayed"), "true");
    await loseAnswers();
    const again = await step();
    assert.equal(again.headers.get("idempotency-replayed"), null);
    assert.deepEqual(bare(again), bare(first), `${index}`);
  }
  assert.equal(((await call(service, "/v1/webhooks")).body.items as unknown[]).length, 1);
  const rotated = await post(service, `/v1/webhooks/${hook.body.id}/rotate-secret`, {}, { "idempotency-key": "more" });
  assert.notEqual(rotated.body.secret, hook.body.secret);
});

test("secrets in kept answers are not in the file; another's key opens nothing", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const anonymous = { authorization: "" };
  const request = { organisation: "Acme", contact: "ops@acme.example", chain_ids: ["1"] };
  const ask = (key: string, body: object = request) =>
    post(service, "/v1/access-requests", body, { ...anonymous, "idempotency-key": key });
  const first = await ask(LONG_KEY);
  assert.equal(first.status, 201);
  const database = new DatabaseSync(join(home, "service/delivery.db"), { readOnly: true });
  t.after(() => database.close());
  const rows = database.prepare("SELECT * FROM idempotency").all();
  assert.equal(rows.length, 1);
  const text = Buffer.from(rows[0]?.body as Uint8Array).toString("latin1");
  assert.doesNotMatch(text, /claim|req_/);
  const guessable = await ask("1");
  assert.deepEqual([guessable.status, guessable.body.code], [400, "invalid-idempotency-key"]);
  const reused = await ask(LONG_KEY, { ...request, organisation: "Other" });
  assert.deepEqual([reused.status, reused.body.code], [422, "idempotency-key-reused"]);
  assert.deepEqual((await ask(LONG_KEY)).body, first.body);
});
