/** WebSocket cases recorded from a real node, and what no recording shows: pushes, limits, slow readers, the end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { WebSocket } from "ws";
import { createEmbeddedEngine } from "../engine.ts";
import { createPublished, type Published } from "../events/published.ts";
import { createLedgerApp } from "../test-support/ledger-app.ts";
import { readRecording } from "../test-support/recorded-engine.ts";
import { withRecordedRpc } from "../test-support/recorded-rpc.ts";
import { createTestHome, QUIET, reached } from "../test-support/test-home.ts";
import { type ConsensusRpc, createConsensusRpc } from "./server.ts";

interface Case {
  name: string;
  transport: string;
  static?: boolean;
  app?: boolean;
  request?: { messages: unknown[] };
  template: { messages: unknown[] };
  response: { frames: unknown[] };
}

interface Push {
  id?: unknown;
  result?: { query?: string; data?: { type: string; value: unknown }; events?: Record<string, string[]> };
  error?: { code: number; data?: string };
}

/** A client that hands out frames in their order. */
async function connect(rpc: ConsensusRpc) {
  const socket = new WebSocket(`${rpc.url.replace("http", "ws")}/websocket`);
  const frames: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  socket.on("message", (data) => {
    const taker = waiting.shift();
    if (taker === undefined) frames.push(String(data));
    else taker(String(data));
  });
  await once(socket, "open");
  const next = async (): Promise<string> => {
    const text = frames.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
    return text;
  };
  return {
    socket,
    next,
    json: async (): Promise<Push> => JSON.parse(await next()),
    send: (message: unknown): void => socket.send(JSON.stringify(message)),
    close: async (): Promise<void> => {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}

const subscribe = (id: unknown, query: string) => ({ jsonrpc: "2.0", id, method: "subscribe", params: { query } });
const BAD_FRAME = '{"jsonrpc":"2.0","id":"end","method":"health","params":{}}';

function frameText(message: unknown): string {
  const isText = typeof message === "object" && message !== null && "$text" in message;
  return isText ? String(message.$text) : JSON.stringify(message);
}

/** Sends the messages and reads what comes up to the answer of a last request. */
async function exchange(rpc: ConsensusRpc, messages: readonly unknown[]): Promise<unknown[]> {
  const client = await connect(rpc);
  for (const message of messages) client.socket.send(frameText(message));
  client.socket.send(BAD_FRAME);
  const answers: unknown[] = [];
  for (;;) {
    const answer = await client.json();
    if (answer.id === "end") break;
    answers.push(answer);
  }
  await client.close();
  return answers;
}

describe("WebSocket against recordings", () => {
  const served = withRecordedRpc();
  const files = [
    "subscribe",
    "matrix-health",
    "matrix-block",
    "matrix-header_by_hash",
    "matrix-tx",
    "matrix-tx_search",
    "matrix-commit",
  ];
  for (const file of files) {
    for (const recorded of readRecording<Case>(`${file}.jsonl`)) {
      const { messages } = recorded.request ?? recorded.template ?? {};
      if (recorded.transport !== "ws" || recorded.static === true || messages === undefined) continue;
      if (/broadcast/.test(JSON.stringify(messages))) continue;
      it(recorded.name, async () => {
        const answers = await exchange(served.rpc, messages);
        const isDefault = /current blockchain height|"height":"(3[89]|[4-9]\d|\d{3,})"/.test(
          JSON.stringify(recorded.response),
        );
        if (isDefault) assert.equal(answers.length, recorded.response.frames.length);
        else assert.deepEqual(answers, recorded.response.frames);
      });
    }
  }
});

describe("WebSocket limits", () => {
  const served = withRecordedRpc();
  const noise = (size: number): Published =>
    createPublished({ kind: "Noise", value: () => JSON.stringify({ text: "x".repeat(size) }) });

  it("lets a hundred clients subscribe, and a place is free again when one leaves", async () => {
    const clients = await Promise.all(Array.from({ length: 101 }, () => connect(served.rpc)));
    const replies: Push[] = [];
    for (const client of clients) {
      client.send(subscribe(1, "tm.event='Never'"));
      replies.push(await client.json());
    }
    assert.equal(replies.filter(({ result }) => result !== undefined).length, 100);
    assert.equal(replies[100]?.error?.data, "max_subscription_clients 100 reached");
    await clients[0]?.close();
    const late = clients[100];
    assert.ok(late);
    for (;;) {
      late.send(subscribe(2, "tm.event='Never'"));
      if ((await late.json()).error === undefined) break;
    }
    await Promise.all(clients.slice(1).map((client) => client.close()));
  });

  it("cancels a reader that does not read, and no other", async () => {
    const slow = await connect(served.rpc);
    const fast = await connect(served.rpc);
    for (const client of [slow, fast]) {
      client.send(subscribe(7, "tm.event='Noise'"));
      assert.deepEqual((await client.json()).result, {});
    }
    slow.socket.pause();
    const count = 600;
    for (let i = 0; i < count; i++) {
      served.engine.reads.events.publish(() => [noise(100_000)]);
      assert.match(await fast.next(), /^\{"jsonrpc":"2.0","id":7,"result":\{"query":"tm.event='Noise'","data":/);
    }
    slow.socket.resume();
    let received = 0;
    for (;;) {
      const push = await slow.json();
      if (push.error === undefined) {
        received++;
        continue;
      }
      assert.equal(push.error.code, -32000);
      assert.equal(
        push.error.data,
        "subscription was canceled (reason: internal subscription event buffer is out of capacity)",
      );
      break;
    }
    assert.ok(received > 200 && received < count, String(received));
    await Promise.all([slow.close(), fast.close()]);
  });

  it("takes the events of one publication whatever their number", async () => {
    const client = await connect(served.rpc);
    client.send(subscribe(7, "tm.event='Noise'"));
    await client.next();
    served.engine.reads.events.publish(() => Array.from({ length: 5000 }, () => noise(100)));
    for (let i = 0; i < 5000; i++) assert.ok((await client.json()).result?.data);
    await client.close();
  });

  it("closes on a frame over the limit and on what is no text at all", async () => {
    const client = await connect(served.rpc);
    const closed = once(client.socket, "close");
    client.socket.send("x".repeat(1_000_001));
    assert.equal((await closed)[0], 1009);
  });

  it("refuses other paths", async () => {
    const socket = new WebSocket(`${served.rpc.url.replace("http", "ws")}/other`);
    const [error] = await once(socket, "error");
    assert.ok(error instanceof Error);
  });
});

const QUERIES: readonly [unknown, string][] = [
  [1, "tm.event='NewBlock' AND block.height>=3"],
  ["two", "tm.event='Tx' AND ledger.first='0104'"],
  [3, "tm.event='BlockSyncStatus'"],
  [4, "tm.event='NewRoundStep'"],
  [5, "ledger EXISTS AND tm.event='NewBlockEvents'"],
];

type Client = Awaited<ReturnType<typeof connect>>;

/** Reads pushes by their subscription's id until two blocks and a transaction have come. */
async function pushesOf(client: Client): Promise<ReadonlyMap<unknown, readonly Push[]>> {
  const seen = new Map<unknown, Push[]>(QUERIES.map(([id]) => [id, []]));
  const isComplete = (): boolean => (seen.get(1)?.length ?? 0) >= 2 && (seen.get("two")?.length ?? 0) >= 1;
  while (!isComplete()) {
    const push = await client.json();
    seen.get(push.id)?.push(push);
  }
  return seen;
}

function checkPushes(seen: ReadonlyMap<unknown, readonly Push[]>): void {
  const heights = (seen.get(1) ?? []).map(({ result }) => JSON.stringify(result).match(/"height":"(\d+)"/)?.[1]);
  assert.deepEqual(heights.slice(0, 2), ["3", "4"]);
  const [tx] = seen.get("two") ?? [];
  assert.equal(tx?.result?.query, "tm.event='Tx' AND ledger.first='0104'");
  assert.deepEqual(tx?.result?.events?.["tx.height"], ["4"]);
  assert.deepEqual(
    seen.get(3)?.map(({ result }) => result?.data),
    [{ type: "tendermint/event/FastSyncStatus", value: { complete: true, height: "0" } }],
  );
  const steps = (seen.get(4) ?? []).map(({ result }) => JSON.stringify(result?.data?.value).match(/Step(\w+)/)?.[1]);
  assert.deepEqual(steps.slice(0, 5), ["Propose", "Prevote", "Precommit", "Commit", "NewHeight"]);
  assert.ok((seen.get(5)?.length ?? 0) > 0);
}

describe("pushes of a running engine", () => {
  it("tell blocks, transactions and steps, to clients of any id, until the end", { timeout: 30_000 }, async () => {
    const paths = await createTestHome();
    const app = createLedgerApp({ dir: paths.appDir, select: (height) => [Uint8Array.of(1, Number(height))] });
    const engine = await createEmbeddedEngine({ home: paths.home, app, blockIntervalMs: 20, log: QUIET });
    const rpc = await createConsensusRpc({ engine, host: "127.0.0.1", port: 0, log: QUIET });
    const client = await connect(rpc);
    for (const [id, query] of QUERIES) {
      client.send(subscribe(id, query));
      assert.deepEqual(await client.json(), { jsonrpc: "2.0", id, result: {} });
    }
    engine.start();
    await reached(engine, 5n);
    checkPushes(await pushesOf(client));
    const closed = once(client.socket, "close");
    await rpc.close();
    await closed;
    const ends: Push[] = [];
    while (ends.length < QUERIES.length) {
      const push = await client.json();
      if (push.error !== undefined) ends.push(push);
    }
    for (const { error } of ends) assert.equal(error?.data, "subscription was canceled (reason: CometBFT exited)");
    await engine.close();
  });
});
