/** The client against answers of every kind a node can give, on real sockets. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { type BitcoinRpc, BitcoinRpcError, createBitcoinRpc } from "./index.ts";

interface Asked {
  readonly body: Record<string, unknown>;
  readonly authorization: string | undefined;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

/** Runs `use` against a node that answers with `answer`; gives back what was asked. */
async function against(answer: Answer, use: (rpc: BitcoinRpc) => Promise<void>, more: object = {}): Promise<Asked[]> {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const item = { body: JSON.parse(text), authorization: request.headers.authorization };
    asked.push(item);
    answer(item, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await use(createBitcoinRpc({ url: `http://us%3Aer:p%40ss@127.0.0.1:${port}/path`, ...more }));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return asked;
}

const json =
  (value: unknown, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status);
    response.end(JSON.stringify(value));
  };

async function codeOf(answer: Answer, more: object = {}): Promise<string> {
  let code = "none";
  await against(
    answer,
    async (rpc) => {
      await rpc.getBlockCount().catch((error: unknown) => {
        assert.ok(error instanceof BitcoinRpcError);
        assert.doesNotMatch(error.message, /p@ss|p%40ss|127\.0\.0\.1/);
        code = error.code;
      });
    },
    more,
  );
  return code;
}

describe("what is sent", () => {
  it("carries version 1.0, the credentials, and no trailing absent parameters", async () => {
    const asked = await against(json({ result: [], error: null, id: 1 }), async (rpc) => {
      await rpc.call("getblock", ["aa", 1, undefined, null]);
      await rpc.call("uptime");
    });
    assert.deepEqual(
      asked.map(({ body }) => [body.jsonrpc, body.method, body.params]),
      [
        ["1.0", "getblock", ["aa", 1]],
        ["1.0", "uptime", []],
      ],
    );
    const expected = `Basic ${Buffer.from("us:er:p@ss").toString("base64")}`;
    assert.ok(asked.every(({ authorization }) => authorization === expected));
  });

  it("uses the types that btcd insists on", async () => {
    const asked = await against(json({ result: null, error: { code: -5, message: "unknown" } }), async (rpc) => {
      await rpc.getBlockHeader("aa");
      await rpc.getBlock("aa");
      await rpc.getRawTransaction("aa");
    });
    assert.deepEqual(
      asked.map(({ body }) => body.params),
      [
        ["aa", false],
        ["aa", 0],
        ["aa", 1],
      ],
    );
  });
});

describe("what comes back", () => {
  it("success and failure are judged by the JSON, not by the status", async () => {
    assert.equal(await codeOf(json({ result: 7, error: null }, 500)), "none");
    assert.equal(await codeOf(json({ result: null, error: { code: -1, message: "no" } }, 200)), "rpc");
    assert.equal(await codeOf(json({ result: null, error: { code: -28, message: "loading" } }, 500)), "rpc");
  });

  it("faults have codes", async () => {
    assert.equal(await codeOf((_, r) => void r.writeHead(401).end("no")), "unauthorized");
    assert.equal(await codeOf((_, r) => void r.writeHead(503).end("503 Too busy.  Try again later.")), "busy");
    assert.equal(await codeOf((_, r) => void r.end("\n")), "bad-answer");
    assert.equal(await codeOf((_, r) => void r.end("<html>")), "bad-answer");
    assert.equal(await codeOf(json({ result: "text" })), "bad-answer");
    assert.equal(await codeOf(json({ id: 1 })), "bad-answer");
    assert.equal(await codeOf(json(null)), "bad-answer");
    assert.equal(await codeOf((_, r) => void r.destroy()), "unreachable");
    assert.equal(
      await codeOf((_, r) => void r.writeHead(302, { location: "http://127.0.0.1:1/" }).end()),
      "unreachable",
    );
    assert.equal(await codeOf(() => undefined, { timeoutMs: 60 }), "timeout");
    assert.equal(await codeOf(json({ result: "x".repeat(5000) }), { maxBodyBytes: 4096 }), "too-large");
  });

  it("an unreachable node is one, too, and other schemes are refused at once", async () => {
    const rpc = createBitcoinRpc({ url: "http://127.0.0.1:1" });
    await assert.rejects(rpc.getBlockCount(), { code: "unreachable" });
    assert.throws(() => createBitcoinRpc({ url: "ftp://127.0.0.1" }), TypeError);
  });

  it("both numbers for a height above the tip mean none", async () => {
    for (const code of [-8, -1]) {
      await against(json({ result: null, error: { code, message: "out of range" } }), async (rpc) => {
        assert.equal(await rpc.getBlockHash(9), null);
      });
    }
  });

  it("fee rates come in satoshi per vbyte, from either method", async () => {
    const core = json({ result: { feerate: 0.00012, blocks: 2 }, error: null });
    await against(core, async (rpc) => assert.equal(await rpc.estimateFeeRate(2), 12));
    await against(json({ result: { errors: ["no data"] }, error: null }), async (rpc) => {
      assert.equal(await rpc.estimateFeeRate(2), null);
    });
    const btcd =
      (rate: number): Answer =>
      ({ body }, response) => {
        const missing = { result: null, error: { code: -32601, message: "Method not found" } };
        response.end(JSON.stringify(body.method === "estimatesmartfee" ? missing : { result: rate, error: null }));
      };
    await against(btcd(0.00005), async (rpc) => assert.equal(await rpc.estimateFeeRate(100), 5));
    await against(btcd(0), async (rpc) => assert.equal(await rpc.estimateFeeRate(2), null));
  });
});
