/** Versions of what wrote a proof: those whose layout is decoded here, and the verdict on others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allProofCases, call, post, runService, until } from "../testing/fixture.ts";

/** Of each encoding a valid envelope, and labels that are known and unknown there. */
const LABELS: Readonly<Record<string, { readonly known: readonly string[]; readonly unknown: readonly string[] }>> = {
  "snarkjs-json": { known: ["snarkjs", "snarkjs-0.7.6", "0.4.0"], unknown: ["snarkjs-0.8.0", "gnark-0.14.0", "v1"] },
  "gnark-binary": { known: ["gnark", "gnark-0.10.0", "v0.14.0"], unknown: ["gnark-0.9.1", "gnark-1.0.0", "latest"] },
  "gnark-json": { known: ["gnark-0.14.0"], unknown: ["gnark-0.15.0"] },
  "arkworks-binary": { known: ["arkworks-0.5", "ark-groth16-0.4.0"], unknown: ["arkworks-0.3", "gnark"] },
};

test("an envelope's version is known or unsupported, in every encoding", async (t) => {
  const service = await runService(t);
  const codeOf = async (envelope: object) => {
    const { body } = await post(service, "/v1/verify", { proof_data: JSON.stringify(envelope) });
    return body.valid === true ? "valid" : (body.error as { code: string }).code;
  };
  const valid = allProofCases().filter((item) => item.expected === "valid");
  for (const [encoding, { known, unknown }] of Object.entries(LABELS)) {
    const found = valid
      .map(({ proofData }) => JSON.parse(proofData))
      .find((envelope) => envelope.encoding === encoding);
    assert.ok(found, encoding);
    for (const version of ["", null, ...known])
      assert.equal(await codeOf({ ...found, version }), "valid", `${version}`);
    for (const version of unknown) assert.equal(await codeOf({ ...found, version }), "unsupported-version", version);
    assert.equal(await codeOf({ ...found, version: 1 }), "malformed");
  }
  const commitment = { system: "commitment", encoding: "hex", proof: "0x01" };
  assert.equal(await codeOf({ ...commitment, version: "1" }), "unsupported-version");
  assert.equal(await codeOf({ system: "sp1", version: "9" }), "unsupported-system");
});

test("a submission of an unknown version is rejected by that code, and may be tried again", async (t) => {
  const service = await runService(t);
  const envelope = { system: "commitment", encoding: "hex", proof: "0x01", version: "9" };
  const submit = () =>
    post(service, "/v1/submit-proof", { proof_data: JSON.stringify(envelope), chain_id: "versions" });
  const first = await submit();
  assert.equal(first.status, 202);
  const rejected = await until("it is rejected", async () => {
    const { body } = await call(service, `/v1/proofs/${first.body.id}`);
    return body.state === "rejected" && body;
  });
  assert.equal((rejected.error as { code: string }).code, "unsupported-version");
  const again = await submit();
  assert.deepEqual([again.status, again.body.id, again.body.state], [202, first.body.id, "received"]);
});
