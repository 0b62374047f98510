/**
 * Proofs through the REST door: accepted durably per second, one by one and in batches, and until the last is settled.
 */

import type { Ready } from "../packages/cli/src/sandbox/ready.ts";
import { call } from "../test/e2e/service-client.ts";
import { until } from "../test/e2e/until.ts";
import { groth16Cases, proofData } from "../test/vectors.ts";
import { load, round } from "./load.ts";

/** What is sent. */
export interface ProofLoad {
  readonly count: number;
  readonly connections: number;
  /** Submissions of one request; 1 uses the single route. */
  readonly batch: number;
}

const proofTexts = (): readonly string[] =>
  groth16Cases()
    .cases.filter((item) => item.expected === "valid")
    .map(proofData);

/** Submits distinct submissions of real valid proofs. */
export async function proofs(ready: Ready, { count, connections, batch }: ProofLoad): Promise<object> {
  const valid = proofTexts();
  const chain_id = `bench-${Date.now()}`;
  const item = (i: number) => ({ proof_data: valid[i % valid.length], chain_id, block_number: String(i) });
  const started = performance.now();
  let last = "";
  const accept = await load({
    url: new URL(batch === 1 ? "/v1/submit-proof" : "/v1/submit-proofs", ready.service_url).href,
    headers: { authorization: `Bearer ${ready.service_token}` },
    connections,
    body: (i) => {
      if (i * batch >= count) return undefined;
      const items = Array.from({ length: Math.min(batch, count - i * batch) }, (_, k) => item(i * batch + k));
      return JSON.stringify(batch === 1 ? items[0] : { items });
    },
    accept: (status, body) => {
      const answer = JSON.parse(body);
      last = answer.id ?? answer.items?.at(-1)?.id ?? last;
      return batch === 1 ? status === 202 : status === 200 && answer.refused === 0;
    },
    maxSeconds: 300,
  });
  await until("the last is settled", () => isSettled(ready, last), 300_000);
  const seconds = (performance.now() - started) / 1000;
  const accepted_per_second = Math.round(count / accept.seconds);
  const settled_per_second = Math.round(count / seconds);
  return {
    proofs: count,
    connections,
    batch,
    accepted_per_second,
    settled_per_second,
    seconds: round(seconds),
    accept,
  };
}

async function isSettled(ready: Ready, id: string): Promise<boolean> {
  const { body } = await call(ready, `/v1/proofs/${id}`);
  return ["settled", "anchored", "final"].includes(body.state);
}

/** Time from the answer's `received_at` to `settled`, at so many submissions per second for so many seconds. */
export async function settleLatency(ready: Ready, perSecond: number, seconds: number): Promise<object> {
  const valid = proofTexts();
  const chain_id = `latency-${perSecond}-${Date.now()}`;
  const started = performance.now();
  const count = perSecond * seconds;
  const sent: Promise<number>[] = [];
  for (let i = 0; i < count; i += 1) {
    const due = started + (i * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const body = JSON.stringify({ proof_data: valid[i % valid.length], chain_id, block_number: String(i) });
    const headers = { "content-type": "application/json" };
    sent.push(call(ready, "/v1/submit-proof", { method: "POST", headers, body }).then(({ status }) => status));
  }
  const accepted = (await Promise.all(sent)).filter((status) => status === 202).length;
  const sending = (performance.now() - started) / 1000;
  await until("all are settled", async () => (await settledTimes(ready, chain_id)).length >= accepted, 120_000);
  const times = [...(await settledTimes(ready, chain_id))].sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return {
    asked_per_second: perSecond,
    sent_per_second: Math.round(count / sending),
    accepted,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
}

interface Listed {
  readonly received_at: string;
  readonly history: readonly { readonly state: string; readonly at: string }[];
}

/** Milliseconds from received to settled of each settled submission of a chain. */
async function settledTimes(ready: Ready, chainId: string): Promise<readonly number[]> {
  const times: number[] = [];
  let cursor = "";
  for (;;) {
    const { body } = await call(ready, `/v1/proofs?chain_id=${chainId}&limit=100${cursor}`);
    for (const { received_at, history } of body.items as readonly Listed[]) {
      const settled = history.find(({ state }) => state === "settled");
      if (settled !== undefined) times.push(Date.parse(settled.at) - Date.parse(received_at));
    }
    if (typeof body.next_cursor !== "string") return times;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}
