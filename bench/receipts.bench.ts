/** Verifying receipts offline: a real one of a sandbox, whole and link by link checked as `cairn verify` does. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Receipt, type Trust, validatorSetHash, verifyReceipt } from "@cairn/proofs";
import type { Ready } from "../packages/cli/src/sandbox/ready.ts";
import { reached, submit } from "../test/e2e/service-client.ts";
import { groth16Cases, proofData } from "../test/vectors.ts";
import { round } from "./load.ts";

/** Milliseconds a verification takes, all links proven. */
export async function receipts(ready: Ready, rounds: number): Promise<object> {
  const valid = groth16Cases().cases.find((item) => item.expected === "valid");
  if (valid === undefined) throw new Error("there is no valid proof");
  const { body } = await submit(ready, { proof_data: proofData(valid), chain_id: `receipts-${Date.now()}` });
  await reached(ready, body.id, "final");
  const text = await (await fetch(new URL(`/v1/proofs/${body.id}/receipt`, ready.service_url))).text();
  const { anchor }: Receipt = JSON.parse(text);
  if (anchor === null) throw new Error("the receipt has no anchor");
  const hashes = [validatorSetHash(JSON.parse(readFileSync(join(ready.home, "config/genesis.json"), "utf8")))];
  const bitcoin = { kind: "checkpoint", height: anchor.height, hash: await bitcoinHash(ready, anchor.height) } as const;
  const trust: Trust = { validatorsHashes: hashes, blockHashes: hashes, bitcoin };
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const started = performance.now();
    const { result, failed } = verifyReceipt(text, trust);
    times.push(performance.now() - started);
    if (result !== "proven") throw new Error(`the receipt is ${result}: ${failed}`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => round(times[Math.floor((times.length - 1) * share)] ?? 0);
  return { receipt_bytes: text.length, min_ms: round(times[0] ?? 0), p50_ms: at(0.5), p99_ms: at(0.99) };
}

async function bitcoinHash(ready: Ready, height: number): Promise<string> {
  const { username, password, origin } = new URL(ready.bitcoin_rpc_url);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const body = JSON.stringify({ jsonrpc: "1.0", id: 1, method: "getblockhash", params: [height] });
  const reply = await fetch(origin, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body,
  });
  return ((await reply.json()) as { result: string }).result;
}
