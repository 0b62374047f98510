import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keyAddress } from "@cairn/keystore";
import { SANDBOX_ACCOUNTS } from "@cairn/node";
import { hexToBytes } from "@cairn/primitives";
import type { ServiceOptions } from "../options.ts";
import { serviceOptions, TOKEN, temporaryHome } from "../testing/fixture.ts";
import { isPublicKey } from "./known-keys.ts";
import { isLoopback, productionRefusals, type RefusalCode } from "./production-rules.ts";

const FIRST_PUBLIC_KEY = hexToBytes("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const MAINNET = { kind: "rpc", network: "mainnet", urls: ["http://u:p@127.0.0.1:8332"] } as const;

/** Nothing of a sandbox. */
function sound(home: string): ServiceOptions {
  const { token: _, ...rest } = serviceOptions(home);
  const policy = { ...rest.policy, finalDepth: 6 };
  return { ...rest, environment: "production", payment: "none", bitcoin: MAINNET, policy };
}

test("nothing is refused where nothing is a sandbox's", (t) => {
  assert.deepEqual(productionRefusals(sound(temporaryHome(t))), []);
});

const shared = randomBytes(32);
const policy = { batchIntervalMs: 1, batchSlots: 1, anchorPeriodMs: 1, finalDepth: 5 };
const CASES: readonly (readonly [RefusalCode, Partial<ServiceOptions>])[] = [
  ["sandbox-token", { token: TOKEN }],
  ["mock-payment", { payment: "mock" }],
  ["embedded-regtest", { bitcoin: { kind: "embedded", host: "127.0.0.1", port: 0, blockIntervalMs: 0 } }],
  ["worthless-network", { bitcoin: { ...MAINNET, network: "regtest" } }],
  ["sandbox-bitcoin-password", { bitcoin: { ...MAINNET, urls: ["http://cairn:cairn@127.0.0.1:1"] } }],
  ["known-settler-key", { settlerKey: FIRST_PUBLIC_KEY }],
  ["known-settler-key", { settlerKey: new Uint8Array(32).fill(7) }],
  ["known-anchor-key", { anchorKey: hexToBytes(`0x${"00".repeat(31)}09`) }],
  ["shared-key", { settlerKey: shared, anchorKey: shared }],
  ["open-listener", { listen: { host: "0.0.0.0", port: 1 } }],
  ["shallow-finality", { policy }],
];

for (const [code, change] of CASES) {
  test(`${code}: ${Object.keys(change)}`, (t) => {
    const found = productionRefusals({ ...sound(temporaryHome(t)), ...change });
    assert.deepEqual(
      found.map((refusal) => refusal.code),
      [code],
    );
    assert.ok(found[0]?.message.startsWith(`${found[0].setting} `));
  });
}

test("a home that a sandbox made is refused, and one that holds its token", (t) => {
  const home = temporaryHome(t);
  writeFileSync(join(home, "sandbox.json"), "{}");
  mkdirSync(join(home, "config"));
  writeFileSync(join(home, "config/sandbox.token"), TOKEN);
  const codes = productionRefusals(sound(home)).map((refusal) => refusal.code);
  assert.deepEqual(codes, ["sandbox-token", "sandbox-home"]);
});

test("staging acknowledges a regtest, a proxy in front an open listener", (t) => {
  const o = sound(temporaryHome(t));
  const bitcoin = { ...MAINNET, network: "regtest", acceptRegtest: true } as const;
  assert.deepEqual(productionRefusals({ ...o, bitcoin, listen: { host: "::", port: 1, behindTlsProxy: true } }), []);
});

test("the public accounts are those that a sandbox funds", () => {
  assert.ok(isPublicKey(FIRST_PUBLIC_KEY));
  assert.equal(keyAddress(FIRST_PUBLIC_KEY), SANDBOX_ACCOUNTS[0]);
  assert.equal(isPublicKey(randomBytes(32)), false);
  for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) assert.ok(isLoopback(host), host);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example"]) assert.ok(!isLoopback(host), host);
});
