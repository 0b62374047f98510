/** What a price can be asked for: the systems that are verified here, by the names of an envelope. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofSystems } from "@cairn/api";
import { call, post, proofCases, runService, until } from "../testing/fixture.ts";

interface Fault {
  readonly parameter: string;
  readonly code: string;
  readonly detail: string;
}

test("every system that is verified has a price, no other has", async (t) => {
  const service = await runService(t);
  for (const [system, curves] of Object.entries(proofSystems)) {
    const judged = await post(service, "/v1/verify", { proof_data: JSON.stringify({ system }) });
    assert.notEqual((judged.body.error as { code: string }).code, "unsupported-system", system);
    for (const curve of [undefined, ...curves]) {
      const query = curve === undefined ? `system=${system}` : `system=${system}&curve=${curve}`;
      const { status, body } = await call(service, `/v1/quote?${query}`);
      assert.deepEqual([status, body.system, body.curve], [200, system, curve ?? curves[0]], query);
    }
  }
  for (const system of ["sp1", "risc0", "plonk", "Groth16", "groth16%20", "", "__proto__", "toString"]) {
    const refused = await call(service, `/v1/quote?system=${system}`);
    assert.deepEqual([refused.status, refused.body.code], [400, "invalid-query"], system);
    const detail = "must be one of groth16, commitment";
    assert.deepEqual(refused.body.errors, [{ parameter: "system", code: "unsupported-system", detail }]);
  }
});

test("the parameter at fault is named", async (t) => {
  const service = await runService(t);
  const cases: readonly (readonly [query: string, fault: Fault])[] = [
    ["", { parameter: "system", code: "required", detail: "is required" }],
    ["curve=bn254", { parameter: "system", code: "required", detail: "is required" }],
    ["system=groth16&system=sp1", { parameter: "system", code: "invalid", detail: "is given more than once" }],
    [
      "system=groth16&curve=bls12-377",
      { parameter: "curve", code: "invalid", detail: "must be one of bn254, bls12-381" },
    ],
    [
      "system=commitment&curve=bn254",
      { parameter: "curve", code: "invalid", detail: "is not asked for with commitment" },
    ],
  ];
  for (const [query, fault] of cases) {
    const { status, body } = await call(service, `/v1/quote?${query}`);
    assert.equal(status, 400, query);
    assert.deepEqual(body.errors, [fault], query);
  }
});

test("a quote without a curve is for the curve an envelope without one has", async (t) => {
  const service = await runService(t);
  const [valid] = proofCases().filter((item) => item.expected === "valid");
  assert.ok(valid);
  const quote = await call(service, "/v1/quote?system=groth16");
  const body = { proof_data: valid.proofData, chain_id: "quoted", quote: quote.body.id };
  const { body: submitted } = await post(service, "/v1/submit-proof", body);
  const judged = await until("it is judged", async () => {
    const { body: now } = await call(service, `/v1/proofs/${submitted.id}`);
    return now.state !== "received" && now;
  });
  assert.equal(judged.error, undefined);
  assert.equal((judged.payment as { price: string }).price, quote.body.price);
});

test("where nobody pays a quote is for nothing, and its submission is taken", async (t) => {
  const service = await runService(t, { payment: "none" });
  const { body: quote } = await call(service, "/v1/quote?system=commitment");
  assert.deepEqual([quote.price, quote.parts], ["0", { verification: "0", inclusion: "0", anchor: "0" }]);
  const proof_data = JSON.stringify({ system: "commitment", encoding: "hex", proof: "0x01" });
  const taken = await post(service, "/v1/submit-proof", { proof_data, chain_id: "free", quote: quote.id });
  assert.equal(taken.status, 202);
  const { body } = await call(service, `/v1/proofs/${taken.body.id}`);
  assert.equal(body.payment, undefined);
});
