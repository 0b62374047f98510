/** Proofs per second through the REST door: accepted durably, and until the last one is settled. */

import type { ReadyFile } from "../test/e2e/cairn-process.ts";
import { call } from "../test/e2e/service-client.ts";
import { until } from "../test/e2e/until.ts";
import { groth16Cases, proofData } from "../test/vectors.ts";
import { load, round } from "./load.ts";

/** Submits `count` distinct submissions of real valid proofs over 16 connections. */
export async function proofs(ready: ReadyFile, count: number): Promise<object> {
  const valid = groth16Cases()
    .cases.filter((item) => item.expected === "valid")
    .map(proofData);
  const chain_id = `bench-${Date.now()}`;
  const started = performance.now();
  let last = "";
  const accept = await load({
    url: new URL("/v1/submit-proof", ready.service_url).href,
    headers: { authorization: `Bearer ${ready.service_token}` },
    connections: 16,
    body: (i) =>
      i < count
        ? JSON.stringify({ proof_data: valid[i % valid.length], chain_id, block_number: String(i) })
        : undefined,
    accept: (status, body) => {
      if (status === 202) last = JSON.parse(body).id;
      return status === 202;
    },
    maxSeconds: 300,
  });
  await until("the last is settled", () => isSettled(ready, last), 300_000);
  const seconds = (performance.now() - started) / 1000;
  return { proofs: count, accept, settled_per_second: Math.round(count / seconds), seconds: round(seconds) };
}

async function isSettled(ready: ReadyFile, id: string): Promise<boolean> {
  const { body } = await call(ready, `/v1/proofs/${id}`);
  return ["settled", "anchored", "final"].includes(body.state);
}
