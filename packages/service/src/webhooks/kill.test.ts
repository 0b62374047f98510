/** Nothing that became durable is kept from a webhook by `kill -9`. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { atEnd, TOKEN, temporaryHome, until } from "../testing/fixture.ts";
import { openReceiver } from "../testing/receiver.ts";

const CHILD = fileURLToPath(new URL("../testing/sandbox-child.ts", import.meta.url));

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
}

async function startChild(t: TestContext, home: string): Promise<Child> {
  const child = spawn(process.execPath, ["--conditions=cairn-source", CHILD, home], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  atEnd(t, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  });
  const [line] = await once(child.stdout, "data");
  return { process: child, url: String(line).trim() };
}

async function send(url: string, path: string, body: object): Promise<Response | undefined> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
}

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "kill",
});

test("kill -9 at any instant: every durable event arrives, under one id", { timeout: 120_000 }, async (t) => {
  const home = temporaryHome(t);
  const receiver = await openReceiver(t);
  let answered = 0;
  // Some are not acknowledged: those must come again, and still under their id.
  receiver.answer((response) => {
    answered += 1;
    if (answered % 12 === 0) response.destroy();
    else response.writeHead(200).end();
  });
  let sent = 0;
  for (const [round, enough] of [25, 60, 40, 90].entries()) {
    const child = await startChild(t, home);
    if (round === 0) assert.equal((await send(child.url, "/v1/webhooks", { url: receiver.url }))?.status, 201);
    const before = receiver.arrived.length;
    for (let n = 0; n < 60; n += 1, sent += 1) void send(child.url, "/v1/submit-proof", commitment(sent));
    await until("some arrived", async () => receiver.arrived.length >= before + enough, 60_000);
    child.process.kill("SIGKILL");
    await once(child.process, "close");
  }
  await startChild(t, home);
  const database = new DatabaseSync(join(home, "service/service.db"), { readOnly: true });
  atEnd(t, () => database.close());
  const events = () =>
    database
      .prepare("SELECT seq FROM events ORDER BY seq")
      .all()
      .map((row) => String(row.seq));
  const arrived = () => new Set(receiver.arrived.map(({ message }) => message.event_id));
  const isJudged = () =>
    database.prepare("SELECT count(*) AS n FROM submissions WHERE state = 'received'").get()?.n === 0;
  await until(
    "all is judged and arrived",
    async () => isJudged() && events().every((seq) => arrived().has(seq)),
    60_000,
  );
  assert.ok(events().length > 100);
  const idOf = new Map<string, string>();
  for (const { id, message } of receiver.arrived) {
    assert.equal(idOf.get(message.event_id) ?? id, id);
    idOf.set(message.event_id, id);
  }
});
