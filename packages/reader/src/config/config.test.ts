import assert from "node:assert/strict";
import { test } from "node:test";
import { parseReaderConfig } from "./config.ts";

const ENTRY = '["rpc", "a", 1, "http://127.0.0.1:8545", "eth_getBlockByNumber", ""]';
const TOML = `service_url = "http://127.0.0.1:8090"\nservice_token = "t"\nblock_fetch_params = [${ENTRY}]\n`;

test("TOML and JSON say the same", () => {
  const json = `{"service_url":"http://127.0.0.1:8090","service_token":"t","block_fetch_params":[${ENTRY}]}`;
  assert.deepEqual(parseReaderConfig(TOML), parseReaderConfig(json));
});

test("defaults: loopback address, block_numbers in the working directory", () => {
  const config = parseReaderConfig(TOML);
  assert.equal(config.address, "127.0.0.1:8080");
  assert.equal(config.blockNumbersDir, "block_numbers");
});

const REFUSED: readonly (readonly [string, string, string])[] = [
  ["an unknown key", `${TOML}adress = "x"`, "adress"],
  ["no entries", TOML.replace(`[${ENTRY}]`, "[]"), "block_fetch_params"],
  ["a name used twice", TOML.replace(ENTRY, `${ENTRY}, ${ENTRY}`), "block_fetch_params[1].chain name"],
  ["an open address without a token", `address = "0.0.0.0:8080"\n${TOML}`, "token"],
  ["an address without port", `address = "127.0.0.1"\n${TOML}`, "address"],
  ["an address that only looks like loopback", `address = "127.0.0.1.example:8080"\n${TOML}`, "token"],
  ["no service", TOML.replace(/service_url.*\n/, ""), "service_url"],
  ["text that is neither", "= =", "line 1"],
];

for (const [what, text, field] of REFUSED) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => parseReaderConfig(text),
      (error: Error & { field?: string }) => error.name === "ReaderConfigError" && error.field === field,
    );
  });
}

test("a flag in the place of a key is held to the same rules", () => {
  const refused = { name: "ReaderConfigError", field: "token" };
  assert.throws(() => parseReaderConfig(TOML, { address: "0.0.0.0:8080" }), refused);
  assert.equal(parseReaderConfig(`token = "x"\n${TOML}`, { address: "0.0.0.0:8080" }).address, "0.0.0.0:8080");
  assert.throws(() => parseReaderConfig(TOML, { metricsAddress: "9400" }), { field: "metrics_address" });
});

test("a byte order mark, as editors on Windows write it, is no error", () => {
  assert.deepEqual(parseReaderConfig(`\uFEFF${TOML}`), parseReaderConfig(TOML));
});
