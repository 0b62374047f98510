import assert from "node:assert/strict";
import { test } from "node:test";
import { ReaderConfigError } from "./config-error.ts";
import type { ContractEntry, RpcEntry, SdkEntry } from "./entry.ts";
import { parseEntry as parse } from "./entry-parser.ts";

function parseEntry(value: unknown, index: number): RpcEntry {
  const { entry } = parse(value, index);
  assert.ok(entry.kind === "rpc");
  return entry;
}

const MINT = ["rpc", "Mint", 185, "https://rpc.example", "eth_getBlockByNumber", "", null];

function refusal(entry: unknown): string {
  try {
    parse(entry, 3);
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
  assert.equal(refusal(replace(1, "a b")), "block_fetch_params[3].chain name");
  assert.equal(refusal(replace(2, 1.5)), "block_fetch_params[3].chain id");
  assert.equal(refusal(replace(3, "file:///etc/passwd")), "block_fetch_params[3].rpc url");
  assert.equal(refusal(replace(4, "getblok")), "block_fetch_params[3].method");
  assert.equal(refusal(replace(6, "a\r\nb")), "block_fetch_params[3].auth token");
  assert.equal(refusal([...MINT, { evrey: 2 }]), "block_fetch_params[3].options.evrey");
  assert.equal(refusal([...MINT, { finality: "soon" }]), "block_fetch_params[3].options.finality");
});

const LINEA = ["contract", "linea", 1, "https://l1.example", "L2MerkleRootAdded", `0x${"D1".repeat(20)}`, null];

function contract(method: string, options?: object): ContractEntry {
  const { entry } = parse([...LINEA.slice(0, 4), method, ...LINEA.slice(5), options], 3);
  assert.ok(entry.kind === "contract");
  return entry;
}

test("a contract entry: an event of the catalogue, a signature, an ABI", () => {
  const known = contract("L2MerkleRootAdded", { from_block: 7, submit: "59144" });
  assert.equal(known.event.root, "l2MerkleRoot");
  assert.equal(known.address, `0x${"d1".repeat(20)}`);
  assert.equal(known.start, 7n);
  assert.equal(known.key, "contract:linea");
  const own = contract("Rooted(uint256 indexed batch, bytes32 root)", { where: { batch: { not: 0 } } });
  assert.equal(own.event.root, "root");
  assert.deepEqual(own.event.where, [{ argument: "batch", equal: false, value: 0n }]);
  const inputs = [{ name: "r", type: "bytes32", indexed: true }];
  const abi = [
    { type: "function", name: "Rooted" },
    { type: "event", name: "Rooted", inputs },
  ];
  assert.equal(contract("Rooted", { abi }).event.topic0, contract("Rooted(bytes32 indexed r)").event.topic0);
});

test("a contract entry is refused by its field", () => {
  const at = (record: unknown) => refusal(record).replace("block_fetch_params[3].", "");
  const event = (method: string, options?: object) => at([...LINEA.slice(0, 4), method, ...LINEA.slice(5), options]);
  assert.equal(at([...LINEA.slice(0, 5), "0x12", null]), "contract address");
  assert.equal(event("Unheard"), "event");
  assert.equal(event("Rooted(bytes32, uint)"), "event");
  assert.equal(event("Rooted(bytes33 root)"), "event");
  assert.equal(event("Rooted(bytes32 a, bytes32 b)"), "event");
  assert.equal(event("Rooted(bytes32 a, bytes32 b)", { root: "c" }), "event");
  assert.equal(event("Rooted(string indexed a)", { root: "a" }), "event");
  assert.equal(event("Rooted(bytes32 a)", { where: { b: 1 } }), "options.where.b");
  assert.equal(event("Rooted(bytes32 a, uint8 n)", { where: { n: "x" } }), "options.where.n");
  assert.equal(event("Rooted", { abi: [] }), "options.abi");
  assert.equal(event("L2MerkleRootAdded", { every: 2 }), "options.every");
  assert.equal(event("L2MerkleRootAdded", { start: 1, from_block: 2 }), "options.from_block");
  assert.equal(event("L2MerkleRootAdded", { proof: { from: "arg", path: "no" } }), "options.proof.path");
  const foreignHost = { from: "url", path: "https://{l2MerkleRoot}.example/" };
  assert.equal(event("L2MerkleRootAdded", { proof: foreignHost }), "options.proof.path");
});

test("sdk entries find their adapter by method, name or option", () => {
  const sdk = (name: string, method: string, options?: object): SdkEntry["adapter"] => {
    const { entry } = parse(["sdk", name, 9, "http://127.0.0.1:26658", method, "", "jwt", options], 3);
    assert.ok(entry.kind === "sdk");
    return entry.adapter;
  };
  assert.deepEqual(sdk("x", "header.GetByHeight"), { builtin: "celestia" });
  assert.deepEqual(sdk("avail", ""), { builtin: "avail" });
  assert.deepEqual(sdk("x", "chain_getHeader"), { builtin: "substrate" });
  assert.deepEqual(sdk("x", "any", { module: "./own.mjs" }), { module: "./own.mjs" });
  assert.equal(refusal(["sdk", "x", 9, "http://127.0.0.1:1", "any", ""]), "block_fetch_params[3].options.adapter");
});

test("shape: any other method, with the height in its parameters or the newest block only", () => {
  const shaped = (shape: object) => [...MINT.slice(0, 4), "kaanch_latestblocks", "", null, { shape }];
  const pointers = { hash: "/0/blockHash", number: "/0/blockNumber" };
  assert.equal(parseEntry(shaped({ params: [1], ...pointers }), 3).family.headOnly, true);
  const head = { method: "k_head", number: "" };
  const byNumber = parseEntry(shaped({ params: ["{hex}"], ...pointers, head }), 3);
  assert.equal(byNumber.family.head.method, "k_head");
  assert.equal(refusal(shaped({ params: ["{hex}"], ...pointers })), "block_fetch_params[3].options.shape.head");
  assert.equal(
    refusal(shaped({ hash: "x", number: "" })),
    "block_fetch_params[3].options.shape.number".replace("number", "hash"),
  );
});

test("an address on an rpc entry is ignored with a warning; a tag the chain has not is refused", () => {
  assert.equal(parse([...MINT.slice(0, 5), "0xabc", null], 3).warnings.length, 1);
  assert.deepEqual(parse(MINT, 3).warnings, []);
  const bitcoin = [...MINT.slice(0, 4), "getblockheader", "", null, { finality: "finalized" }];
  assert.equal(refusal(bitcoin), "block_fetch_params[3].options.finality");
  assert.equal(parseEntry([...MINT.slice(0, 4), "block", "", null, { family: "near" }], 3).family.name, "near");
});

test("a method or an event in another case is told what was meant", () => {
  const method = [...MINT.slice(0, 4), "eth_getblockbynumber", "", null];
  assert.throws(() => parse(method, 0), /did you mean "eth_getBlockByNumber"\? expected one of/);
  assert.throws(() => contract("l2merklerootadded"), /did you mean "L2MerkleRootAdded"\?/);
  assert.throws(() => parse([...MINT, { start: "later" }], 0), /options\.start: expected "head" or a height from 0 on/);
});
