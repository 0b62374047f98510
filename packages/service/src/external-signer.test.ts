/** The service with its anchor key elsewhere: a signer may do what it likes, nothing but the template is ever sent. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type BitcoinRpc,
  createAnchorWallet,
  createBitcoinRpc,
  createRegtest,
  type Regtest,
} from "@cairn/bitcoin-node";
import { createServiceClient, type ServiceClient, verifyReceipt } from "@cairn/sdk";
import type { RunningService } from "./index.ts";
import type { ExternalSigner } from "./options.ts";
import { atEnd, call, runService, TOKEN, temporaryHome, testLog, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";
import { answerPsbt, type PsbtBehaviour, publicKeyOf } from "./testing/outside-signer.ts";

const BUMP_BLOCKS = 2;
const SECRET = KEYS.anchorKey;
const COMMITMENT = {
  proof_data: JSON.stringify({ system: "commitment", value: `0x${"5a".repeat(32)}` }),
  chain_id: "s",
};

interface Bench {
  readonly service: RunningService;
  readonly client: ServiceClient;
  readonly regtest: Regtest;
  readonly rpc: BitcoinRpc;
}

/** A service whose wallet has one coin; no key of it is in the options. */
async function startBench(t: TestContext, home: string, via: ExternalSigner["via"]): Promise<Bench> {
  const regtest = await createRegtest({
    ...{ dir: join(home, "regtest"), blockIntervalMs: 0, user: "u", password: "p", log: testLog },
  });
  atEnd(t, () => regtest.close());
  const { address } = createAnchorWallet({ privateKey: SECRET, network: "regtest" });
  const coin = await regtest.fundAddress(address, 1_000_000n);
  await regtest.mine(1);
  const node = await runNode(t, home);
  const service = await runService(t, {
    ...{ home, settlerKey: KEYS.settlerKey, ...endpoints(node) },
    ...{ externalSigner: { publicKey: publicKeyOf(SECRET), via }, alarms: { workerStalledMs: 0 } },
    bitcoin: { kind: "rpc", network: "regtest", urls: [regtest.url], funding: [coin] },
    policy: {
      ...{ batchIntervalMs: 100, batchSlots: 512, anchorPeriodMs: 100, finalDepth: 2, bumpBlocks: BUMP_BLOCKS },
    },
  });
  assert.equal(service.anchorAddress, address);
  const client = createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 });
  return { service, client, regtest, rpc: createBitcoinRpc({ url: regtest.url }) };
}

const mempool = async ({ rpc }: Bench): Promise<readonly string[]> => (await rpc.call("getrawmempool")) as string[];

/** The alarm that names the signer. */
async function signerAlarm({ service }: Bench): Promise<string | undefined> {
  const { status, body } = await call(service, "/readyz");
  const alarms = body.alarms as readonly { readonly code: string; readonly detail: string }[];
  const alarm = alarms.find(({ code, detail }) => code === "worker-stalled" && /the anchor signer: /.test(detail));
  return status === 503 ? alarm?.detail : undefined;
}

async function finished(bench: Bench, id: string): Promise<void> {
  await bench.regtest.mine(2);
  await until("it is final", async () => (await bench.client.getProof(id)).state === "final");
  assert.equal((await verifyReceipt(await bench.client.receiptText(id), {})).result, "untrusted");
  await until("the alarm is over", async () => (await call(bench.service, "/readyz")).status === 200);
}

const ONE_BY_ONE: readonly (PsbtBehaviour | "refuses")[] = [
  ...(["pays-itself", "signs-another", "signs-loosely", "refuses", "pays-more-fee"] as const),
];

test("an endpoint that signs something else: never sent, an alarm; then it signs, and a bump is held to the same", {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryHome(t);
  const todo: (typeof ONE_BY_ONE)[number][] = [...ONE_BY_ONE];
  const asked: string[] = [];
  let mayGoOn = false;
  const server = createServer(async (request, response) => {
    const psbt = await text(request);
    const behaviour = (todo.length > 1 ? todo.shift() : todo[0]) ?? "signs";
    const done = behaviour === "pays-more-fee" && mayGoOn ? "signs" : behaviour;
    asked.push(done);
    if (done === "refuses") response.writeHead(503).end();
    else response.end(answerPsbt(done, psbt, SECRET));
  }).listen(0, "127.0.0.1");
  atEnd(t, () => server.close());
  await until("the signer listens", async () => server.listening);
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const bench = await startBench(t, home, { kind: "http", url: `http://127.0.0.1:${address.port}/` });
  const { id } = await bench.client.submitProof(COMMITMENT);
  await until("everything was tried", async () => asked.length >= ONE_BY_ONE.length, 60_000);
  assert.match(await until("it is an alarm", () => signerAlarm(bench)), /another transaction|no signed|HTTP 503/);
  assert.deepEqual(await mempool(bench), [], "nothing was sent");
  assert.deepEqual((await bench.client.anchors()).items, [], "nothing was stored");
  mayGoOn = true;
  const [first] = await until("the first variant is sent", async () => nonEmpty(await mempool(bench)), 60_000);
  mayGoOn = false;
  const before = asked.length;
  await bench.regtest.mine(BUMP_BLOCKS, { empty: true });
  await until("the bump was tried", async () => asked.length > before);
  assert.deepEqual(await mempool(bench), [first], "the first variant stays");
  mayGoOn = true;
  await until("the second variant took its place", async () => (await mempool(bench))[0] !== first, 60_000);
  assert.equal((await mempool(bench)).length, 1);
  await finished(bench, id);
});

const nonEmpty = <T>(items: readonly T[]): readonly T[] | undefined => (items.length > 0 ? items : undefined);

test("a program that dies, answers nothing, and hangs while the service stops", { timeout: 120_000 }, async (t) => {
  const home = temporaryHome(t);
  const mode = join(home, "mode");
  writeFileSync(mode, "dies");
  const program = fileURLToPath(new URL("testing/outside-signer.ts", import.meta.url));
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
  const script = 'case $(cat "$0") in hangs) exec sleep 600;; *) exec "$@" "$(cat "$0")" "$SIGNER_KEY";; esac';
  process.env.SIGNER_KEY = Buffer.from(SECRET).toString("hex");
  atEnd(t, () => {
    delete process.env.SIGNER_KEY;
  });
  const command = ["sh", "-c", script, mode, process.execPath, ...flags, program];
  const bench = await startBench(t, home, { kind: "command", command });
  const { id } = await bench.client.submitProof(COMMITMENT);
  assert.match(await until("it is an alarm", () => signerAlarm(bench)), /its command was ended by SIGSEGV/);
  writeFileSync(mode, "nothing");
  await until("the alarm tells the new cause", async () => /no signed PSBT/.test((await signerAlarm(bench)) ?? ""));
  assert.deepEqual(await mempool(bench), []);
  writeFileSync(mode, "signs");
  await until("it is sent", async () => nonEmpty(await mempool(bench)), 60_000);
  await finished(bench, id);
  writeFileSync(mode, "hangs");
  await bench.client.submitProof({ ...COMMITMENT, chain_id: "later" });
  await until("it is settled", async () => nonEmpty((await bench.client.batches()).items.slice(1)));
  const started = performance.now();
  await bench.service.close();
  assert.ok(performance.now() - started < 5_000, "a service that stops does not wait for a signer");
});
