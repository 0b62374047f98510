import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigError, type ConfigErrorCode, type ConfigSources, editDistance, nearest } from "@cairn/api";
import fc from "fast-check";
import { flagHelp, renderConfig, renderConfigReference } from "./render.ts";
import { resolveConfig } from "./resolve.ts";
import { CONFIG_KEYS, environmentName, NODE_SCHEMA } from "./schema.ts";

function assertFault(sources: ConfigSources, code: ConfigErrorCode, source: string): ConfigError {
  let found: unknown;
  try {
    resolveConfig(sources);
  } catch (error) {
    found = error;
  }
  assert.ok(found instanceof ConfigError, "expected a ConfigError");
  assert.equal(found.code, code);
  assert.equal(found.source, source);
  return found;
}

describe("node configuration", () => {
  it("takes flag over environment over file over default", () => {
    const file =
      '[rpc]\nladdr = "tcp://127.0.0.1:1"\n[json-rpc]\naddress = "127.0.0.1:1"\nws-address = "127.0.0.1:1"\n';
    const config = resolveConfig({
      file,
      env: { CAIRN_JSON_RPC_ADDRESS: "127.0.0.1:2", CAIRN_JSON_RPC_WS_ADDRESS: "127.0.0.1:2", CAIRN_HOME: "/x" },
      flags: { "json-rpc.address": "127.0.0.1:3" },
    });
    assert.equal(config["json-rpc.address"].port, 3);
    assert.equal(config["json-rpc.ws-address"].port, 2);
    assert.equal(config["rpc.laddr"].port, 1);
    assert.deepEqual(config["json-rpc.api"], ["eth", "net", "web3"]);
    assert.deepEqual(config["rpc.laddr"].host, "127.0.0.1");
    assert.ok(Object.isFrozen(config));
  });

  it("has the specification's defaults", () => {
    const config = resolveConfig({});
    assert.deepEqual(config["json-rpc.ws-address"], { host: "0.0.0.0", port: 8546 });
    assert.deepEqual(config["rpc.laddr"], { host: "127.0.0.1", port: 26_657 });
    assert.equal(config["json-rpc.enable"], true);
  });

  it("names the nearest key for an unknown one, wherever it stands", () => {
    const flag = assertFault({ flags: { "json-rpc.adress": "x" } }, "unknown-key", "--json-rpc.adress");
    assert.ok(flag.message.includes("json-rpc.address?"));
    assertFault({ file: "[json-rpc]\nap = []" }, "unknown-key", "app.toml key json-rpc.ap");
    assertFault({ file: "minimum-gas-price = 1" }, "unknown-key", "app.toml key minimum-gas-price");
    assertFault({ file: "[other]\nx = 1" }, "unknown-key", "app.toml key other");
    const variable = assertFault({ env: { CAIRN_TXPOOL_SLOTS: "1" } }, "unknown-key", "CAIRN_TXPOOL_SLOTS");
    assert.ok(variable.message.includes("CAIRN_TXPOOL_"));
  });

  it("refuses values that do not fit, naming where they stand", () => {
    assertFault({ flags: { "json-rpc.api": "eth,shh" } }, "invalid-value", "--json-rpc.api");
    assertFault({ flags: { "json-rpc.api": "eth,eth" } }, "invalid-value", "--json-rpc.api");
    assertFault({ flags: { "rpc.laddr": "127.0.0.1" } }, "invalid-value", "--rpc.laddr");
    assertFault({ flags: { "rpc.laddr": "tcp://127.0.0.1:65536" } }, "invalid-value", "--rpc.laddr");
    assertFault({ flags: { "txpool.lifetime": "3 hours" } }, "invalid-value", "--txpool.lifetime");
    assertFault({ env: { CAIRN_STATE_CACHE: "0" } }, "invalid-value", "CAIRN_STATE_CACHE");
    assertFault({ file: '[json-rpc]\nenable = "yes"' }, "invalid-value", "app.toml key json-rpc.enable");
    assertFault({ file: "[json-rpc" }, "unreadable", "app.toml");
  });

  it("reads IPv6 hosts and plain booleans", () => {
    const config = resolveConfig({ flags: { "json-rpc.address": "[::1]:80", "json-rpc.enable": "" } });
    assert.deepEqual(config["json-rpc.address"], { host: "::1", port: 80 });
    assert.equal(config["json-rpc.enable"], true);
  });

  it("reads amounts exactly", () => {
    const config = resolveConfig({
      flags: { "json-rpc.txfee-cap": "1.000000000000000001", "minimum-gas-prices": "7wei" },
    });
    assert.equal(config["json-rpc.txfee-cap"], 10n ** 18n + 1n);
    assert.equal(config["minimum-gas-prices"], 7n);
    assert.deepEqual(resolveConfig({ file: renderConfig(config) }), config);
    assertFault({ flags: { "json-rpc.txfee-cap": "1." } }, "invalid-value", "--json-rpc.txfee-cap");
  });

  it("writes a template that reads back as what was written", () => {
    assert.deepEqual(resolveConfig({ file: renderConfig() }), resolveConfig({}));
    const changed = {
      ...resolveConfig({}),
      "minimum-gas-prices": 7n,
      "json-rpc.api": ["eth"],
      "txpool.lifetime": 1500,
    };
    assert.deepEqual(resolveConfig({ file: renderConfig(changed) }), changed);
  });

  it("lists every key in help and reference", () => {
    const page = renderConfigReference();
    const flags = flagHelp().map((help) => help.flag);
    for (const key of CONFIG_KEYS) {
      assert.ok(page.includes(`\`${key}\``) && page.includes(environmentName(key)), key);
      assert.ok(flags.includes(`--${key}`), key);
      assert.ok(NODE_SCHEMA.settingOf(key).doc.endsWith("."), key);
    }
    assert.equal(new Set(CONFIG_KEYS.map(environmentName)).size, CONFIG_KEYS.length);
  });
});

describe("nearest name", () => {
  it("measures a distance", () => {
    assert.equal(editDistance("kitten", "sitting"), 3);
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b);
        assert.equal(distance, editDistance(b, a));
        assert.equal(distance === 0, a === b);
        assert.ok(distance <= Math.max(a.length, b.length));
      }),
    );
    assert.equal(nearest("adress", ["api", "address"]), "address");
  });
});
