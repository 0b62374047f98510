import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError } from "@cairn/api";
import { temporaryHome } from "../testing/fixture.ts";
import { readPricePlans } from "./price-plans.ts";

const PLAN = {
  verification: { "groth16/bn254": "20", commitment: "0" },
  other_verification: "40",
  inclusion: "10",
  anchor: "5",
};

test("plans are read from the file that the settings name", (t) => {
  const home = temporaryHome(t);
  writeFileSync(join(home, "plans.json"), JSON.stringify({ large: PLAN }));
  assert.deepEqual(readPricePlans(home, "plans.json"), {
    large: {
      verificationWei: { "groth16/bn254": 20n, commitment: 0n },
      ...{ otherVerificationWei: 40n, inclusionWei: 10n, anchorWei: 5n },
    },
  });
});

for (const [why, content] of [
  ["no JSON", "{"],
  ["no object", "[]"],
  ["no plan", '{"a":1}'],
  ["an unknown member", JSON.stringify({ a: { ...PLAN, extra: "1" } })],
  ["a number for wei", JSON.stringify({ a: { ...PLAN, inclusion: 10 } })],
  ["a price missing", JSON.stringify({ a: { ...PLAN, anchor: undefined } })],
  ["negative wei", JSON.stringify({ a: { ...PLAN, verification: { x: "-1" } } })],
] as const) {
  test(`${why} is refused by name`, (t) => {
    const home = temporaryHome(t);
    writeFileSync(join(home, "plans.json"), content);
    assert.throws(
      () => readPricePlans(home, "plans.json"),
      (error) => error instanceof ConfigError && error.message.startsWith("payment.price-plans: plans.json"),
    );
  });
}
