/**
 * The service on a disk that fills: what writes is refused with 503, reads go on, health and status tell it, the log
 * stays readable; when there is room it goes on by itself, and nothing acknowledged is lost.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Answer, proofCases, serviceOptions, TOKEN, temporaryHome, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";
import { openReceiver } from "./testing/receiver.ts";
import { onSmallDisk, type SmallDisk, withoutSmallDisk } from "./testing/small-disk.ts";

const CHILD = fileURLToPath(new URL("testing/service-child.ts", import.meta.url));
const NODE = [process.execPath, "--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
const HAMMERED = 200;

let next = 0;
const commitment = () => {
  next += 1;
  const value = `0x${next.toString(16).padStart(64, "0")}`;
  return {
    proof_data: JSON.stringify({ system: "commitment", value }),
    chain_id: "full",
    metadata: { x: "x".repeat(2_000) },
  };
};

interface Client {
  get(path: string): Promise<Answer>;
  post(path: string, body: object, headers?: object): Promise<Answer>;
}

async function clientOf({ shell }: SmallDisk): Promise<Client> {
  const [line] = await Promise.race([once(shell.stdout ?? shell, "data"), once(shell, "exit").then(() => [""])]);
  const url = String(line).trim();
  assert.match(url, /^http/, "the service did not start");
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers, signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
  };
  return {
    get: (path) => call(path, {}),
    post: (path, body, headers = {}) =>
      call(path, { method: "POST", body: JSON.stringify(body), headers: { ...headers } }),
  };
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.deepEqual([status, body.code], [503, "unavailable"]);
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.ok(Number(headers.get("retry-after")) > 0);
}

/** Submits until the disk takes no more; ids of what was acknowledged. */
async function submitUntilRefused(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 2_000; n += 1) {
    const answer = await client.post("/v1/submit-proof", commitment());
    if (answer.status !== 202) {
      assertUnavailable(answer);
      return ids;
    }
    ids.push(String(answer.body.id));
  }
  throw new Error("the disk was never full");
}

async function assertReads(client: Client, id: string): Promise<void> {
  const reads = [
    "/v1/proofs?limit=5",
    `/v1/proofs/${id}`,
    "/v1/batches",
    "/v1/anchors",
    "/v1/account",
    "/healthz",
    "/metrics",
  ];
  for (const path of reads) assert.equal((await client.get(path)).status, 200, path);
  assert.ok([200, 409].includes((await client.get(`/v1/proofs/${id}/receipt`)).status));
  const [valid] = proofCases().filter(({ expected }) => expected === "valid");
  const verdict = await client.post("/v1/verify", { proof_data: valid?.proofData });
  assert.deepEqual([verdict.status, verdict.body.valid], [200, true], "verifying stores nothing");
}

async function assertWrites(client: Client, receiver: string): Promise<void> {
  assertUnavailable(await client.post("/v1/submit-proof", commitment(), { "idempotency-key": "once" }));
  assertUnavailable(await client.post("/v1/submit-proofs", { items: [commitment(), commitment()] }));
  assertUnavailable(await client.post("/v1/webhooks", { url: receiver }));
}

async function assertTold(client: Client): Promise<void> {
  const { status, body } = await until("health tells it", async () => {
    const ready = await client.get("/readyz");
    const codes = (ready.body.alarms as readonly { readonly code: string }[]).map(({ code }) => code);
    return codes.includes("store-unavailable") && codes.includes("disk-low") && ready;
  });
  assert.deepEqual([status, (body.checks as Record<string, unknown>).database], [503, false]);
  const { store } = (await client.get("/v1/status")).body as { readonly store?: unknown };
  assert.deepEqual(store, { writable: false });
  assert.match(String((await client.get("/metrics")).body.text), /^cairn_alarm\{alarm="store-unavailable"\} 1$/m);
}

test("a full disk", { skip: withoutSmallDisk, timeout: 120_000 }, async (t) => {
  const node = await runNode(t, temporaryHome(t));
  const receiver = await openReceiver(t);
  const disk = onSmallDisk(t, "24m", (home) => {
    const { log: _, settlerKey: _s, anchorKey: _a, ...options } = serviceOptions(home);
    const keys = Object.entries(KEYS).map(([name, key]) => [name, `0x${key.toString("hex")}`]);
    const all = { ...options, ...Object.fromEntries(keys), ...endpoints(node), payment: "mock" };
    return [...NODE, CHILD, JSON.stringify(all)];
  });
  const log: string[] = [];
  disk.shell.stderr?.on("data", (chunk: Buffer) => log.push(...String(chunk).trimEnd().split("\n")));
  const client = await clientOf(disk);
  assert.equal((await client.post("/v1/webhooks", { url: receiver.url })).status, 201);
  const before = String((await client.post("/v1/submit-proof", commitment())).body.id);
  await until("one is final", async () => (await client.get(`/v1/proofs/${before}`)).body.state === "final");
  await disk.fill();
  const linesBefore = log.length;
  const acknowledged = [before, ...(await submitUntilRefused(client))];
  await assertReads(client, before);
  await assertWrites(client, receiver.url);
  await assertTold(client);
  for (let n = 0; n < HAMMERED; n += 1) assertUnavailable(await client.post("/v1/submit-proof", commitment()));
  const told = log.slice(linesBefore);
  assert.ok(told.length < 30, `${told.length} lines:\n${told.join("\n")}`);
  assert.ok(told.some((line) => /ALARM store-unavailable: .*disk full/.test(line)));
  await disk.free();
  const after = await until("submissions are taken again", async () => {
    const answer = await client.post("/v1/submit-proof", commitment());
    return answer.status === 202 && String(answer.body.id);
  });
  for (const id of [...acknowledged, after]) {
    await until(`${id} is final`, async () => (await client.get(`/v1/proofs/${id}`)).body.state === "final");
  }
  const delivered = () => receiver.arrived.filter(({ message }) => message.type === "submission.final").length;
  await until("every event arrived", async () => delivered() >= acknowledged.length + 1);
  await until("it is ready", async () => (await client.get("/readyz")).status === 200);
  await until("it can be written", async () => {
    const { store } = (await client.get("/v1/status")).body as { readonly store?: { readonly writable?: boolean } };
    return store?.writable;
  });
});
