import assert from "node:assert/strict";
import { test } from "node:test";
import { AbiMismatch } from "./abi/abi-decode.ts";
import { readProofOption } from "./config/proof-option.ts";
import type { EndpointError } from "./endpoint-error.ts";
import { createEndpointPool } from "./endpoint-pool.ts";
import { fetchProof } from "./proof-fetch.ts";
import { type JsonServer, startJsonServer } from "./testing/json-server.ts";

const pool = createEndpointPool({ endpoints: [], crossCheck: "off", now: () => 0 });
const signal = AbortSignal.timeout(30_000);
const HASH = `0x${"ab".repeat(32)}` as const;

async function fetched(server: JsonServer, path: string, form: object = {}): Promise<string> {
  const url = server.url.replace("http://", "http://user:secret@");
  const names = ["batch", "name"];
  const reference = readProofOption({ from: "url", path: `${url}${path}`, ...form }, names, (field) => field);
  assert.ok(reference !== undefined);
  const context = { height: 12n, hash: HASH, transactionHash: undefined, arguments: { batch: 7n, name: "a/../b?c" } };
  return fetchProof(reference, context, pool, signal);
}

test("a proof by URL: words are filled in and escaped, a pointer picks the proof, the form makes the envelope", async (t) => {
  const document = { data: { proof: { pi_a: ["1"] } } };
  const server = await startJsonServer({ rest: (_, path) => (path.startsWith("/proofs/") ? document : undefined) });
  t.after(() => server.close());
  const bare = await fetched(server, "proofs/{batch}/{height}?at={hash}&n={name}#/data/proof");
  assert.deepEqual(JSON.parse(bare), document.data.proof);
  assert.equal(server.asked[0]?.method, `GET /proofs/7/12?at=${HASH}&n=a%2F..%2Fb%3Fc`);
  const form = { system: "groth16", public_inputs: ["batch"], vk: '{"protocol":"groth16"}' };
  const envelope = JSON.parse(await fetched(server, "proofs/1#/data/proof", form));
  assert.deepEqual(envelope, {
    system: "groth16",
    encoding: "snarkjs",
    proof: document.data.proof,
    publicInputs: ["7"],
    vk: { protocol: "groth16" },
  });
});

test("what the host has not got is no proof; what it cannot serve now is asked again", async (t) => {
  const server = await startJsonServer({ rest: (_, path) => (path === "/big" ? "x".repeat(1_100_000) : undefined) });
  t.after(() => server.close());
  await assert.rejects(fetched(server, "proofs/1"), AbiMismatch);
  await assert.rejects(fetched(server, "big"), AbiMismatch);
  await server.close();
  await assert.rejects(fetched(server, "proofs/1"), (error: EndpointError) => {
    return error.code === "unreachable" && !error.message.includes("secret");
  });
});
