/** The package DAG of ARCHITECTURE.md: a package depends only on packages of a lower level, as listed. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** What each package may import; `contracts` (level 0) is open to every level above. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  primitives: [],
  jsonrpc: [],
  abci: [],
  comet: [],
  bitcoin: [],
  contracts: [],
  proofs: ["primitives", "comet", "bitcoin"],
  native: ["primitives"],
  keystore: ["primitives"],
  "bitcoin-node": ["bitcoin"],
  api: ["primitives", "proofs"],
  chain: ["primitives", "abci", "native"],
  aggregator: ["primitives", "proofs"],
  consensus: ["abci", "comet", "jsonrpc", "api"],
  rpc: ["api", "chain", "keystore", "primitives"],
  reader: ["primitives", "comet", "bitcoin", "proofs", "api"],
  sdk: ["api", "proofs", "primitives"],
  node: ["primitives", "jsonrpc", "abci", "comet", "native", "keystore", "api", "chain", "consensus", "rpc"],
  service: [
    "aggregator",
    "reader",
    "bitcoin-node",
    "sdk",
    "native",
    "keystore",
    "api",
    "proofs",
    "comet",
    "bitcoin",
    "primitives",
  ],
  cli: ["node", "service", "reader", "sdk", "keystore", "proofs", "primitives"],
};
const LEVEL_0 = new Set(["primitives", "jsonrpc", "abci", "comet", "bitcoin", "contracts"]);

function manifest(name: string): { readonly name: string; readonly dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
}

test("every package has its place in the DAG", () => {
  assert.deepEqual(readdirSync(packages).sort(), Object.keys(MAY_IMPORT).sort());
});

for (const [name, allowed] of Object.entries(MAY_IMPORT)) {
  test(`${name} depends only on what it may import`, () => {
    const used = Object.keys(manifest(name).dependencies ?? {})
      .filter((dependency) => dependency.startsWith("@cairn/"))
      .map((dependency) => dependency.slice("@cairn/".length));
    const open = LEVEL_0.has(name) ? [] : ["contracts"];
    const strangers = used.filter((dependency) => !allowed.includes(dependency) && !open.includes(dependency));
    assert.deepEqual(strangers, []);
  });
}

test("the listed edges have no cycle", () => {
  const level = (name: string, path: readonly string[]): number => {
    assert.ok(!path.includes(name), `cycle: ${[...path, name].join(" → ")}`);
    return 1 + Math.max(-1, ...(MAY_IMPORT[name] ?? []).map((next) => level(next, [...path, name])));
  };
  for (const name of Object.keys(MAY_IMPORT)) level(name, []);
});
