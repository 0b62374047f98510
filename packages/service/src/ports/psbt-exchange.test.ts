/** External signers as real programs and real endpoints: one that signs, and every way of not signing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { parseTransaction } from "@cairn/bitcoin";
import { createAnchorWallet, createKeySigner, createPsbtSigner } from "@cairn/bitcoin-node";
import { atEnd, temporaryHome, until } from "../testing/fixture.ts";
import { answerPsbt, type PsbtBehaviour, publicKeyOf } from "../testing/outside-signer.ts";
import { commandExchange, httpExchange, type PsbtExchange } from "./psbt-exchange.ts";

const SECRET = new Uint8Array(32).fill(7);
const CAP_SAT = 5_000;
const TIMEOUT_MS = 400;
const NODE = [process.execPath, "--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
const PROGRAM = fileURLToPath(new URL("../testing/outside-signer.ts", import.meta.url));
const coin = (n: number) => ({ txid: n.toString(16).padStart(64, "0"), vout: 0, valueSat: 100_000n });
const TEMPLATE = { input: coin(1), extraInputs: [coin(2)], data: new Uint8Array(40).fill(3), feeSat: 300n };

const REFUSED: readonly (readonly [PsbtBehaviour, "bad-answer" | "refused"])[] = [
  ["signs-nothing", "bad-answer"],
  ["garbage", "bad-answer"],
  ["nothing", "bad-answer"],
  ["pays-itself", "refused"],
  ["pays-more-fee", "refused"],
  ["signs-another", "refused"],
  ["signs-loosely", "refused"],
];

const command = (...args: readonly string[]) => [...NODE, PROGRAM, ...args];
const behaving = (behaviour: string): readonly string[] => command(behaviour, Buffer.from(SECRET).toString("hex"));

const signWith = (exchange: PsbtExchange) =>
  createPsbtSigner({ publicKey: publicKeyOf(SECRET), network: "regtest", capSat: CAP_SAT, exchange }).sign(TEMPLATE);

/** What a key in this process signs: the same bytes. */
const expected = () =>
  createKeySigner(createAnchorWallet({ privateKey: SECRET, network: "regtest" }), CAP_SAT).sign(TEMPLATE);

/** A killed child that nobody waits for stays as a zombie. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !(existsSync(stat) && / Z /.test(readFileSync(stat, "utf8")));
}

describe("a command that signs", () => {
  it("gets the PSBT on standard input and answers on standard output", async () => {
    assert.deepEqual(await signWith(commandExchange(behaving("signs"))), await expected());
  });

  for (const [behaviour, code] of REFUSED) {
    it(`is refused when it does this: ${behaviour}`, async () => {
      await assert.rejects(signWith(commandExchange(behaving(behaviour))), { name: "SignerError", code });
    });
  }

  const broken: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["is missing", ["/nonexistent/signer"], /cannot be run/],
    ["refuses", behaving("refuses"), /ended with exit code 3/],
    ["dies", behaving("dies"), /was ended by SIGSEGV/],
    ["never ends its answer", behaving("floods"), /wrote more than 1048576 bytes/],
  ];
  for (const [name, program, message] of broken) {
    it(`${name}: said so`, async () => {
      await assert.rejects(signWith(commandExchange(program)), { code: "unreachable", message });
    });
  }

  it("hangs in a child of its own: the wait ends, and so does the child", async (t) => {
    const file = join(temporaryHome(t), "pid");
    const script = 'sleep 600 & echo $! > "$0"; wait';
    const hangs = commandExchange(["sh", "-c", script, file], { timeoutMs: TIMEOUT_MS });
    await assert.rejects(signWith(hangs), { code: "unreachable", message: /took longer than 0\.4 s/ });
    const pid = Number(readFileSync(file, "utf8"));
    await until("the child is gone", async () => !isRunning(pid));
    const leaves = commandExchange(["sh", "-c", 'sleep 600 & echo $! > "$0"', file], { timeoutMs: TIMEOUT_MS });
    await assert.rejects(signWith(leaves), { code: "unreachable", message: /took longer/ });
    await until("what it left behind is gone", async () => !isRunning(Number(readFileSync(file, "utf8"))));
  });

  it("is not waited for by a service that closes", async () => {
    const closing = new AbortController();
    const signed = signWith(commandExchange(["sleep", "600"], { signal: closing.signal }));
    closing.abort();
    await assert.rejects(signed, { code: "unreachable", message: /closing/ });
    await assert.rejects(signWith(commandExchange(["true"], { signal: closing.signal })), /closing/);
  });
});

type Answer = (response: ServerResponse, psbt: string, request: IncomingMessage) => void;

async function endpoint(t: TestContext, answer: Answer): Promise<URL> {
  const server = createServer(async (request, response) => answer(response, await text(request), request));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return new URL(`http://127.0.0.1:${address.port}/sign`);
}

describe("an endpoint that signs", () => {
  it("gets the PSBT as the body of a POST, with user and password of the URL as a header", async (t) => {
    const seen: string[] = [];
    const url = await endpoint(t, (response, psbt, { method, url: path, headers }) => {
      seen.push(`${method} ${path} ${headers["content-type"]} ${headers.authorization}`);
      response.end(`${answerPsbt("signs", psbt, SECRET)}\n`);
    });
    assert.deepEqual(await signWith(httpExchange(url.href)), await expected());
    [url.username, url.password] = ["me", "p:w@rd"];
    await signWith(httpExchange(url.href));
    const basic = Buffer.from("me:p:w@rd").toString("base64");
    assert.deepEqual(seen, ["POST /sign text/plain undefined", `POST /sign text/plain Basic ${basic}`]);
  });

  for (const [behaviour, code] of REFUSED) {
    it(`is refused when it does this: ${behaviour}`, async (t) => {
      const url = await endpoint(t, (response, psbt) => response.end(answerPsbt(behaviour, psbt, SECRET)));
      await assert.rejects(signWith(httpExchange(url.href)), { name: "SignerError", code });
    });
  }

  const broken: Readonly<Record<string, readonly [Answer, RegExp]>> = {
    refuses: [(response) => response.writeHead(403).end("no"), /answered HTTP 403/],
    "sends elsewhere": [(response) => response.writeHead(307, { location: "/other" }).end(), /does not answer/],
    hangs: [() => {}, /took longer than 0\.4 s/],
    "hangs in the middle": [(response) => response.write("cHNidP8"), /took longer than 0\.4 s/],
    "dies in the middle": [(response) => void response.write("cHNidP8", () => response.destroy()), /does not answer/],
  };
  for (const [name, [answer, message]] of Object.entries(broken)) {
    it(`${name}: said so`, async (t) => {
      const url = await endpoint(t, answer);
      const exchange = httpExchange(url.href, { timeoutMs: TIMEOUT_MS });
      await assert.rejects(signWith(exchange), { code: "unreachable", message });
    });
  }

  it("never ends its answer: cut", async (t) => {
    const url = await endpoint(t, (response) => {
      const more = (): void => void response.write("A".repeat(65_536), (error) => error || more());
      more();
    });
    await assert.rejects(signWith(httpExchange(url.href)), { code: "bad-answer" });
  });

  it("is not there, or not waited for by a service that closes", async (t) => {
    await assert.rejects(signWith(httpExchange("http://127.0.0.1:1/")), { code: "unreachable" });
    const url = await endpoint(t, () => {});
    const closing = new AbortController();
    const signed = signWith(httpExchange(url.href, { signal: closing.signal }));
    closing.abort();
    await assert.rejects(signed, { code: "unreachable", message: /closing/ });
  });
});

it("a signed anchor spends the chained coin first and pays its change to the wallet", async () => {
  const { rawTx } = await signWith(commandExchange(behaving("signs")));
  const { inputs, outputs } = parseTransaction(rawTx);
  assert.deepEqual([inputs.length, outputs.length, outputs[0]?.valueSat], [2, 2, 199_700n]);
});
