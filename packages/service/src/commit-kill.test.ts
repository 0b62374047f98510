/**
 * SIGKILL between a commit and its answer, in a seeded order (`CAIRN_KILL_SEED`): of the service's stores, of a call to
 * the chain, of a webhook's delivery. Nothing is settled or paid twice, what was acknowledged is settled, a repeat after
 * a lost answer is the same submission, and every event is delivered at least once under one id.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { seededRandom } from "../../../test/e2e/seeded-random.ts";
import { type Answer, atEnd, TOKEN, until } from "./testing/fixture.ts";
import type { KillInstant } from "./testing/kill-preload.ts";
import type { KillableService } from "./testing/killable-service.ts";
import { bindWallet, CRN, money, payingService, settler, wallet } from "./testing/paying-service.ts";
import { openReceiver, type Receiver } from "./testing/receiver.ts";

const SEED = Number(process.env.CAIRN_KILL_SEED ?? 20_261_121);
/** Of each kind of instant: how late it may be. */
const INSTANTS = [
  { of: "service.db", latest: 12, times: 3 },
  { of: "delivery.db", latest: 8, times: 2 },
  { of: "eth_sendRawTransaction", latest: 2, times: 1 },
] as const;
/** Deliveries at which the receiver kills the service: before it answers, and after. */
const ARRIVALS = 2;
const SETTLED = ["settled", "anchored", "final"];

interface Bench {
  readonly service: KillableService;
  readonly chain: Awaited<ReturnType<typeof payingService>>["chain"];
  readonly home: string;
  readonly receiver: Receiver;
  readonly random: () => number;
  /** Ids by the number that was submitted; undefined: not answered yet. */
  readonly ids: (string | undefined)[];
}

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", value: `0x${(n + 1).toString(16).padStart(64, "0")}` }),
  chain_id: "commits",
});

async function startBench(t: TestContext): Promise<Bench> {
  const receiver = await openReceiver(t);
  const deliveryPolicy = { retryMs: [5, 5, 5, 5, 5, 5], maxPauseMs: 5 };
  const options = { environment: "sandbox", token: TOKEN, deliveryPolicy };
  const { home, service, chain } = await payingService(t, options, () => TOKEN);
  await bindWallet(service);
  await chain.write("deposit", [], CRN);
  await chain.write("allow", [settler, CRN, CRN]);
  await until("the permission counts", async () => (await money(service)).available === CRN.toString());
  assert.equal((await service.post("/v1/webhooks", { url: receiver.url })).status, 201);
  await service.kill();
  return { service, chain, home, receiver, random: seededRandom(SEED), ids: [] };
}

/** The instants in the seed's order; `arrival` kills from the receiver. */
function instantsOf(random: () => number): readonly KillInstant[] {
  const counted = INSTANTS.flatMap(({ of, latest, times }) =>
    (["before", "after"] as const).flatMap((phase) =>
      Array.from({ length: times }, () => ({ of, phase, nth: 1 + Math.floor(random() * latest) })),
    ),
  );
  const arrivals = (["before", "after"] as const).flatMap((phase) =>
    Array.from({ length: ARRIVALS }, () => ({ of: "arrival", phase, nth: 1 + Math.floor(random() * 6) })),
  );
  const placed = [...counted, ...arrivals].map((instant) => ({ instant, place: random() }));
  return placed.sort((a, b) => a.place - b.place).map(({ instant }) => instant);
}

/** Submits a number (again); its id is what it was before, if that is known. */
async function submit({ service, ids }: Bench, n: number): Promise<void> {
  const lost = (): undefined => undefined;
  const answer: Answer | undefined = await service.post("/v1/submit-proof", commitment(n)).catch(lost);
  if (answer === undefined || answer.status === 503) return;
  assert.ok([200, 202].includes(answer.status), JSON.stringify(answer.body));
  assert.equal(ids[n] ?? answer.body.id, answer.body.id, "a repeat is the same submission");
  ids[n] = String(answer.body.id);
}

/** Lets the process live until its instant, with something new to do all the time. */
async function liveUntil(bench: Bench, instant: KillInstant): Promise<void> {
  const { service, receiver, ids } = bench;
  const isArrival = instant.of === "arrival";
  let arrivals = 0;
  receiver.answer((response) => {
    arrivals += 1;
    if (!isArrival || arrivals !== instant.nth) return void response.writeHead(204).end();
    if (instant.phase === "before") return void service.kill();
    response.writeHead(204).end(() => void service.kill());
  });
  await service.start(isArrival ? undefined : instant);
  for (const [n, id] of ids.entries()) if (id === undefined) await submit(bench, n);
  let looks = 0;
  await until(
    "the instant",
    async () => {
      looks += 1;
      if (service.isRunning() && looks % 2 === 1) await submit(bench, ids.push(undefined) - 1);
      return !service.isRunning();
    },
    60_000,
  );
  await service.kill();
}

function readRows<T>(home: string, sql: string): readonly T[] {
  const database = new DatabaseSync(join(home, "service/service.db"), { readOnly: true });
  try {
    return database.prepare(sql).all() as T[];
  } finally {
    database.close();
  }
}

/** What was paid stands in the service's books, in the vault and in its logs, once for each settled submission. */
async function checkPaid({ service, chain, home, ids }: Bench): Promise<void> {
  const prices = readRows<{ wei: string }>(home, "SELECT price AS wei FROM payments WHERE state = 'captured'");
  assert.equal(prices.length, ids.length);
  const paid = prices.reduce((sum, { wei }) => sum + BigInt(wei), 0n);
  const books = await money(service);
  const expected = [(CRN - paid).toString(), "0", paid.toString(), "0"];
  assert.deepEqual([books.balance, books.reserved, books.captured, books.overdue], expected);
  assert.equal(await chain.read("balanceOf", [wallet.address]), CRN - paid);
  assert.equal(await chain.read("claimable", [settler]), paid);
  const charges = await chain.charges();
  assert.equal(
    charges.reduce((sum, { amount }) => sum + amount, 0n),
    paid,
  );
  const batches = readRows<{ number: number }>(home, "SELECT number FROM batches ORDER BY number");
  assert.deepEqual(
    batches.map(({ number }) => number),
    Array.from(batches, (_, i) => i + 1),
  );
  assert.equal(charges.length, batches.length, "each batch charged once");
}

async function checkDelivered({ home, receiver }: Bench): Promise<void> {
  const events = () => readRows<{ seq: number }>(home, "SELECT seq FROM events").map(({ seq }) => String(seq));
  const arrived = () => new Set(receiver.arrived.map(({ message }) => message.event_id));
  await until("every event arrived", async () => events().every((seq) => arrived().has(seq)), 60_000);
  const names = new Map<string, string>();
  for (const { id, message } of receiver.arrived) {
    assert.equal(names.get(message.event_id) ?? id, id, "an event has one id");
    names.set(message.event_id, id);
  }
}

test(`kills between commit and answer (CAIRN_KILL_SEED=${SEED})`, { timeout: 240_000 }, async (t) => {
  const bench = await startBench(t);
  const { service, receiver, ids } = bench;
  for (const instant of instantsOf(bench.random)) {
    await liveUntil(bench, instant).catch((error: unknown) => {
      const { phase, of, nth } = instant;
      throw new Error(`CAIRN_KILL_SEED=${SEED}, ${phase} ${of} number ${nth}`, { cause: error });
    });
  }
  receiver.answer((response) => void response.writeHead(204).end());
  await service.start();
  atEnd(t, () => service.kill());
  for (const n of ids.keys()) await submit(bench, n);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) {
    const state = async () => String((await service.get(`/v1/proofs/${id}`)).body.state);
    await until(`${id} is settled`, async () => SETTLED.includes(await state()), 60_000);
  }
  await checkPaid(bench);
  await checkDelivered(bench);
});
