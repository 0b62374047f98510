/**
 * Fuzzes the method tables against a live server over HTTP and WebSocket. Environment: `CAIRN_FUZZ_SECONDS` (default
 * 16 for all tests together), `CAIRN_FUZZ_SEED` (default fixed). A failure prints the seed and the shrunk message.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { env } from "node:process";
import { after, before, test } from "node:test";
import { DEFAULT_LIMITS } from "@cairn/jsonrpc";
import fc from "fast-check";
import { type LiveNode, startLiveNode } from "../testing/live-node.ts";
import { checkAnswer } from "./judge.ts";
import { METHOD_COUNT, messageBytes, messageText } from "./messages.ts";
import { frame, rawPeer, upgradeWith } from "./raw-peer.ts";

const SECONDS = Number(env.CAIRN_FUZZ_SECONDS ?? 16);
const SEED = Number(env.CAIRN_FUZZ_SEED ?? 358_587);
/** No call may take longer than the server allows, with room for a busy machine. */
const HANG_MS = 60_000;

const budget = (share: number) => ({
  seed: SEED,
  numRuns: 1_000_000,
  interruptAfterTimeLimit: SECONDS * 1_000 * share,
  markInterruptAsFailure: false,
});

let node: LiveNode;
/** Keeps the rules all along: its answers must come, and its connection must last. */
let witness: WebSocket;
before(async () => {
  node = await startLiveNode();
  witness = new WebSocket(node.wsUrl);
  await once(witness, "open");
});
after(async () => {
  assert.deepEqual(node.faults, [], "no handler raised a fault");
  assert.equal(witness.readyState, witness.OPEN, "the connection that kept the rules is open");
  witness.close();
  await node.close();
});

let asked = 0;
async function witnessAnswers(): Promise<void> {
  const id = ++asked;
  const answer = once(witness, "message", { signal: AbortSignal.timeout(HANG_MS) });
  witness.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_chainId" }));
  const [{ data }] = await answer;
  assert.deepEqual(JSON.parse(String(data)), { jsonrpc: "2.0", id, result: "0x578bb" });
}

async function post(body: Uint8Array<ArrayBuffer>, authorized: boolean): Promise<string> {
  const headers = { "content-type": "application/json", ...(authorized ? { authorization: "Bearer right" } : {}) };
  const response = await fetch(node.url, { method: "POST", headers, body, signal: AbortSignal.timeout(HANG_MS) });
  const text = await response.text();
  const isLarge = body.length > DEFAULT_LIMITS.bodyBytes;
  assert.equal(response.status, isLarge ? 413 : 200);
  return isLarge ? "" : text;
}

test(`whatever is posted to the ${METHOD_COUNT} methods, the answer is JSON-RPC and tells nothing of the inside`, async (t) => {
  let messages = 0;
  await fc.assert(
    fc.asyncProperty(messageBytes, async (bytes) => {
      messages++;
      // The operator's `debug` methods may write files where they are told to.
      const isOperator = messages % 2 === 0 && !Buffer.from(bytes).includes("debug_");
      checkAnswer(await post(bytes, isOperator));
      if (messages % 50 === 0) await witnessAnswers();
    }),
    budget(0.5),
  );
  t.diagnostic(`${messages} messages, seed ${SEED}`);
  assert.ok(messages > 10);
});

test("whatever is sent over one WebSocket connection, each message that asks is answered", async (t) => {
  const socket = new WebSocket(node.wsUrl);
  await once(socket, "open");
  let messages = 0;
  await fc.assert(
    fc.asyncProperty(messageText, async (text) => {
      // Longer ones break the rules: the connection is closed with 1009.
      if (Buffer.byteLength(text) > DEFAULT_LIMITS.bodyBytes) return;
      messages++;
      // A marker behind the message: its answer proves that the connection lives, whatever the message deserved.
      const marker = `marker ${messages}`;
      const done = Promise.withResolvers<void>();
      const onMessage = ({ data }: MessageEvent): void => {
        try {
          const answer: unknown = JSON.parse(String(data));
          const isMarker = typeof answer === "object" && answer !== null && "id" in answer && answer.id === marker;
          if (isMarker) done.resolve();
          else if (typeof answer === "object" && answer !== null && !("method" in answer)) checkAnswer(String(data));
        } catch (error) {
          done.reject(error);
        }
      };
      const onClose = (): void => done.reject(new Error("the connection was lost"));
      socket.addEventListener("message", onMessage);
      socket.addEventListener("close", onClose);
      socket.send(text);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: marker, method: "eth_blockNumber", params: [] }));
      await done.promise;
      socket.removeEventListener("message", onMessage);
      socket.removeEventListener("close", onClose);
    }),
    budget(0.3),
  );
  t.diagnostic(`${messages} messages, seed ${SEED}`);
  socket.close();
  await witnessAnswers();
});

const frames = fc.array(
  fc.record({
    opcode: fc.integer({ min: 0, max: 15 }),
    fin: fc.boolean(),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      messageText.map((text) => Buffer.from(text).subarray(0, 60_000)),
    ),
    length: fc.option(fc.nat({ max: 65_535 }), { nil: undefined }),
  }),
  { maxLength: 6 },
);

test("half frames, lying lengths and broken connections harm nobody else", async (t) => {
  let peers = 0;
  const requestLine = fc.constantFrom(
    "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "\u0000\u0001\u0002",
  );
  await fc.assert(
    fc.asyncProperty(frames, requestLine, fc.boolean(), async (list, line, breaks) => {
      peers++;
      const bytes = Buffer.concat(
        list.map(({ length, ...rest }) => frame({ ...rest, ...(length === undefined ? {} : { length }) })),
      );
      await Promise.all([
        rawPeer(node.wsUrl, upgradeWith(node.wsUrl, bytes), breaks),
        rawPeer(node.url, line, breaks),
        rawPeer(node.url, bytes, true),
      ]);
      if (peers % 20 === 0) await witnessAnswers();
    }),
    budget(0.2),
  );
  t.diagnostic(`${peers} peers, seed ${SEED}`);
  await witnessAnswers();
});
