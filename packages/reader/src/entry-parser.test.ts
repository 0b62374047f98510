import assert from "node:assert/strict";
import { test } from "node:test";
import { ReaderConfigError } from "./entry.ts";
import { parseEntry } from "./entry-parser.ts";

const MINT = ["rpc", "Mint", 185, "https://rpc.example", "eth_getBlockByNumber", "", null];

function refusal(entry: unknown): string {
  try {
    parseEntry(entry, 3);
  } catch (error) {
    assert.ok(error instanceof ReaderConfigError);
    return error.field;
  }
  return assert.fail("was accepted");
}

test("an entry in the specification's order", () => {
  const entry = parseEntry(MINT, 0);
  assert.equal(entry.name, "mint");
  assert.equal(entry.chainId, 185);
  assert.deepEqual(entry.endpoints, ["https://rpc.example/"]);
  assert.equal(entry.auth, undefined);
  assert.equal(entry.submitAs, "185");
  assert.deepEqual(entry.finality, { kind: "instant" });
});

test("the auth token becomes a bearer token unless it names a scheme or a header", () => {
  const withToken = (token: string, options?: object) => parseEntry([...MINT.slice(0, 6), token, options], 0).auth;
  assert.deepEqual(withToken("secret"), { header: "authorization", value: "Bearer secret" });
  assert.deepEqual(withToken("Basic dTpw"), { header: "authorization", value: "Basic dTpw" });
  assert.deepEqual(withToken("k", { auth_header: "X-Api-Key" }), { header: "x-api-key", value: "k" });
});

test("options", () => {
  const options = { confirmations: 12, every: 10, start: 5, submit: "eip155:185", endpoints: ["http://b.example/"] };
  const entry = parseEntry([...MINT, options], 0);
  assert.deepEqual(entry.finality, { kind: "depth", confirmations: 12 });
  assert.equal(entry.every, 10);
  assert.equal(entry.start, 5n);
  assert.equal(entry.submitAs, "eip155:185");
  assert.equal(entry.endpoints.length, 2);
});

test("a refusal names the entry and the field", () => {
  const replace = (index: number, value: unknown) => MINT.map((old, i) => (i === index ? value : old));
  assert.equal(refusal("rpc"), "block_fetch_params[3]");
  assert.equal(refusal(MINT.slice(0, 4)), "block_fetch_params[3]");
  assert.equal(refusal(replace(0, "ftp")), "block_fetch_params[3].type");
  assert.equal(refusal(replace(0, "contract")), "block_fetch_params[3].type");
  assert.equal(refusal(replace(1, "a b")), "block_fetch_params[3].chain name");
  assert.equal(refusal(replace(2, 1.5)), "block_fetch_params[3].chain id");
  assert.equal(refusal(replace(3, "file:///etc/passwd")), "block_fetch_params[3].rpc url");
  assert.equal(refusal(replace(4, "getblock")), "block_fetch_params[3].method");
  assert.equal(refusal(replace(6, "a\r\nb")), "block_fetch_params[3].auth token");
  assert.equal(refusal([...MINT, { evrey: 2 }]), "block_fetch_params[3].options.evrey");
  assert.equal(refusal([...MINT, { finality: "soon" }]), "block_fetch_params[3].options.finality");
});
