import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "@cairn/api";
import { testLog } from "../testing/fixture.ts";
import { SERVICE_SCHEMA } from "./schema.ts";
import {
  renderServiceConfig,
  renderServiceConfigReference,
  resolveServiceConfig,
  serviceFlags,
} from "./service-config.ts";
import { bitcoinOptions, finalDepth, serviceOptions } from "./service-options.ts";

const URL_TEXT = "http://u:p@127.0.0.1:8332";
const KEYS = { settlerKey: new Uint8Array(32), anchorKey: new Uint8Array(32) };

test("the template reads back as what was written", () => {
  assert.deepEqual(resolveServiceConfig({ file: renderServiceConfig() }), resolveServiceConfig({}));
  const changed = { ...resolveServiceConfig({}), "bitcoin.rpc-urls": [URL_TEXT], "anchor.period": 90_000 };
  assert.deepEqual(resolveServiceConfig({ file: renderServiceConfig(changed) }), changed);
});

test("flag over environment over file over default; foreign variables stay foreign", () => {
  const config = resolveServiceConfig({
    file: '[batch]\nslots = 1\ninterval = "1s"\nbytes = 20000\n',
    env: { CAIRN_SERVICE_BATCH_SLOTS: "2", CAIRN_SERVICE_BATCH_INTERVAL: "2s", CAIRN_JSON_RPC_API: "eth" },
    flags: { "batch.slots": "3" },
  });
  assert.equal(config["batch.slots"], 3);
  assert.equal(config["batch.interval"], 2_000);
  assert.equal(config["batch.bytes"], 20_000);
  assert.throws(() => resolveServiceConfig({ env: { CAIRN_SERVICE_BATCH_SLOT: "2" } }), /did you mean/);
  assert.throws(() => resolveServiceConfig({ file: "[fees]\ncap = 1" }), ConfigError);
});

const REFUSED: Readonly<Record<string, string>> = {
  environment: "staging",
  "bitcoin.network": "testnet3",
  "bitcoin.rpc-urls": "ftp://x",
  "listen.public-url": "example.org",
  "anchor.public-key": "04aa",
  "fee.cap": "0",
  "batch.bytes": "2000000",
};

for (const [key, text] of Object.entries(REFUSED)) {
  test(`${key} = ${text} is refused by name`, () => {
    assert.throws(() => resolveServiceConfig({ flags: { [key]: text } }), {
      code: "invalid-value",
      source: `--${key}`,
    });
  });
}

test("mainnet is final at depth 6; a network needs a node", () => {
  const mainnet = resolveServiceConfig({ flags: { "bitcoin.rpc-urls": URL_TEXT } });
  assert.equal(finalDepth(mainnet), 6);
  const { environment, policy, bitcoin } = serviceOptions({
    ...{ home: "/h", config: mainnet, keys: KEYS, version: "v0", log: testLog },
  });
  assert.equal(environment, "production");
  assert.equal(policy.finalDepth, 6);
  assert.ok(bitcoin.kind === "rpc" && bitcoin.network === "mainnet");
  assert.throws(() => bitcoinOptions(resolveServiceConfig({})), { source: "bitcoin.rpc-urls" });
  const funding = { "bitcoin.rpc-urls": URL_TEXT, "bitcoin.funding": `${"ab".repeat(32)}:1` };
  const funded = bitcoinOptions(resolveServiceConfig({ flags: funding }));
  assert.deepEqual(funded.kind === "rpc" && funded.funding, [{ txid: "ab".repeat(32), vout: 1 }]);
  const wrong = resolveServiceConfig({ flags: { ...funding, "bitcoin.funding": "abc" } });
  assert.throws(() => bitcoinOptions(wrong), { source: "bitcoin.funding" });
});

test("every setting stands in help and reference, in whole sentences or parts of one", () => {
  const page = renderServiceConfigReference();
  const flags = serviceFlags().map((flag) => flag.flag);
  for (const key of SERVICE_SCHEMA.keys) {
    assert.ok(page.includes(`\`${key}\``) && page.includes(SERVICE_SCHEMA.environmentName(key)), key);
    assert.ok(flags.includes(`--${key}`), key);
    assert.match(SERVICE_SCHEMA.settingOf(key).doc, /[.,]$/, key);
  }
  assert.equal(new Set(SERVICE_SCHEMA.keys.map(SERVICE_SCHEMA.environmentName)).size, SERVICE_SCHEMA.keys.length);
});
