import assert from "node:assert/strict";
import { test } from "node:test";
import { parseReaderConfig } from "./config.ts";
import { ReaderConfigError } from "./config-error.ts";

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
  ["text that is neither", "= =", "configuration"],
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

/** The message, as an operator reads it. */
function refusal(text: string): string {
  try {
    parseReaderConfig(text);
  } catch (error) {
    assert.ok(error instanceof ReaderConfigError, `${error}`);
    return error.message;
  }
  return assert.fail("was accepted");
}

const HEAD = 'service_url = "http://127.0.0.1:8090"\nservice_token = "very-secret-token"\n';

test("a refusal names the line of the entry, past comments, brackets in strings and options over several lines", () => {
  const text = `${HEAD}# block_fetch_params = [ not this one
block_fetch_params = [
  # ["rpc", commented out]
  ["rpc", "a", 1, "https://a.example/]", "eth_getBlockByNumber", "", "to]k,en"],
  ["rpc", "b", 1, "https://b.example", "eth_getBlockByNumber", "", '', {
    every = 2,
  }],

  ["rpc", "c", 1.5, "https://c.example", "eth_getBlockByNumber", ""],
]
`;
  assert.equal(refusal(text), `block_fetch_params[2].chain id (line 11): expected an integer from 1 to ${2 ** 53 - 1}`);
  assert.match(
    refusal(text.replace("every", "evrey")),
    /^block_fetch_params\[1\]\.options\.evrey \(line 7\): unknown option/,
  );
  assert.match(refusal(`${HEAD}adress = "x"\n`), /^adress \(line 3\): unknown key/);
  const json = `{
  "service_url": "http://127.0.0.1:8090", "service_token": "t",
  "block_fetch_params": [
    ${ENTRY},
    ["rpc", "b\\"[", 1, "https://b.example", "eth_getBlockByNumber", ""]
  ]
}`;
  assert.match(refusal(json), /^block_fetch_params\[1\]\.chain name \(line 5\): expected letters/);
});

test("text that is no TOML or JSON: the line, the reason, and nothing of what stands around it", () => {
  const toml = refusal(`${HEAD}block_fetch_params = [\n  ["rpc", "a" 1],\n]\n`);
  assert.match(toml, /^configuration \(line 4\): not valid TOML: /);
  const broken: readonly (readonly [string, number])[] = [
    ['{\n  "service_token": "very-secret-token",\n  "x": [1, 2,,]\n}', 3],
    ['{\n  "service_token": "very-secret-token"\n  "x": 1\n}', 3],
    ['{\n  "service_token": "very-secret-token",\n}', 3],
    ['{\n  service_token: "very-secret-token"\n}', 2],
    ['{\n  "service_token": "very-secret-token', 2],
    ['{"a": 1}\n\n}', 3],
    ['{"a": [\n{"b": tru}]}', 2],
    ['{"a": 01}', 1],
    ['{"a": 1', 1],
  ];
  for (const [text, line] of broken) {
    assert.throws(() => JSON.parse(text), text);
    assert.equal(refusal(text), `configuration (line ${line}): not valid JSON`, text);
  }
  assert.doesNotMatch([toml, ...broken.map(([text]) => refusal(text))].join(), /very-secret/);
});
