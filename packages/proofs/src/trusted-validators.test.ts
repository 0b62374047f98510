import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CometError } from "@cairn/comet";
import { validatorSetHash } from "./trusted-validators.ts";
import { WireError } from "./wire.ts";

/** Recorded from CometBFT; its header states the hash. */
const recorded = new URL("../../../test/vectors/comet-rpc/", import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, recorded), "utf8").split("\n{", 1)[0] ?? "");
const genesis = JSON.parse(readFileSync(new URL("genesis.json", recorded), "utf8"));
const answer = read("matrix-validators.jsonl").response.body;
const stated = read("matrix-header.jsonl").response.body.result.header.validators_hash;
const EXPECTED = `0x${String(stated).toLowerCase()}`;

const [key, other] = Object.values<{ pub_key: object }>(
  JSON.parse(readFileSync(new URL("validator_pubkeys.json", recorded), "utf8")),
).map((validator) => validator.pub_key);

describe("validatorSetHash", () => {
  it("is what CometBFT's header states, from every document that lists the set", () => {
    assert.match(EXPECTED, /^0x[0-9a-f]{64}$/);
    for (const document of [genesis, answer, answer.result, genesis.validators, answer.result.validators]) {
      assert.equal(validatorSetHash(document), EXPECTED);
    }
  });

  it("depends on keys and powers, not on the order of the list, names or priorities", () => {
    const set = [
      { pub_key: key, power: "10" },
      { pub_key: other, power: "3" },
    ];
    const hash = validatorSetHash(set);
    assert.equal(validatorSetHash([...set].reverse()), hash);
    const dressed = [{ pub_key: other, voting_power: "3", proposer_priority: "-9", name: "x" }, ...set.slice(0, 1)];
    assert.equal(validatorSetHash(dressed), hash);
    assert.notEqual(validatorSetHash(set.slice(0, 1)), hash);
    assert.notEqual(validatorSetHash([{ pub_key: key, power: "11" }, ...set.slice(1)]), hash);
  });

  it("refuses what lists no validators", () => {
    const tooMany = Array.from({ length: 10_001 }, () => ({ pub_key: key, power: "1" }));
    for (const document of [null, undefined, 7, "x", {}, [], { validators: [] }, { validators: 3 }, tooMany]) {
      assert.throws(() => validatorSetHash(document), WireError);
    }
  });

  it("refuses entries that are none, powers that are no positive decimal, keys that are none", () => {
    for (const power of [undefined, 10, "0", "-1", "01", "0x0a", "1.5", "", "12345678901234567890"]) {
      assert.throws(() => validatorSetHash([{ pub_key: key, power }]), WireError, String(power));
    }
    for (const entry of [null, 7, "x", []]) assert.throws(() => validatorSetHash([entry]), isRefusal, String(entry));
    for (const pub_key of [undefined, {}, { type: "tendermint/PubKeyEd25519", value: "AA==" }]) {
      assert.throws(() => validatorSetHash([{ pub_key, power: "1" }]), isRefusal);
    }
  });
});

function isRefusal(error: unknown): boolean {
  return error instanceof WireError || error instanceof CometError;
}
