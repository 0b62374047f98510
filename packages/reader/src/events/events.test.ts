import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesToHex, type Hex } from "@cairn/primitives";
import { encodeAbiParameters, encodeEventTopics, parseAbiItem } from "viem";
import { AbiMismatch } from "../abi/abi-decode.ts";
import { parseSignature, signatureHash } from "../abi/signature.ts";
import { EndpointError } from "../endpoint-error.ts";
import { CATALOGUE, catalogueRow, catalogueSpec, isSpec } from "./catalogue.ts";
import { decodeEvent, matches } from "./event-decode.ts";
import type { EventSpec } from "./event-spec.ts";
import { MAX_LOGS, readLogs } from "./log.ts";
import { isNotThere, isRangeRefusal, isTooMuch, narrower, wider } from "./log-range.ts";

/** First topics as block explorers show them for the deployed contracts. */
const TOPICS: Readonly<Record<string, string>> = {
  L2MerkleRootAdded: "0x300e6f978eee6a4b0bba78dd8400dc64fd5652dbfc868a2258e16d0977be222b",
  DataFinalizedV3: "0xa0262dc79e4ccb71ceac8574ae906311ae338aa4a2044fd4ec4b99fad5ab60cb",
  DataSubmittedV3: "0x55f4c645c36aa5cd3f443d6be44d7a7a5df9d2100d7139dfc69d4289ee072319",
  BlockExecution: "0x2402307311a4d6604e4e7b4c8a15a7e1213edb39c16a31efa70afb06030d3165",
  BlockCommit: "0x8f2916b2f2d78cc5890ead36c06c0f6d5d112c7e103589947e8e2f0d6eddb763",
  FinalizeBatch: "0x26ba82f907317eedc97d0cbef23de76a43dd6edb563bdb6e9407645b950a7a2d",
  VerifyBatchesTrustedAggregator: "0xd1ec3a1216f08b6eff72e169ceb548b782db18a6614852618d86bb19f3f9b0d3",
  VerifyPessimisticStateTransition: "0xdf47e7dbf79874ec576f516c40bc1483f7c8ddf4b45bfd4baff4650f1229a711",
  LogStateUpdate: "0xd342ddf7a308dec111745b00315c14b7efb2bdae570a6856e088ed0c65a3576c",
  CheckpointSaved: "0xf726c53cbb9e62552afc4a8f1bb1d01fa9272e526a7e3a69eba93b778b3f42a6",
  DisputeGameCreated: "0x5b565efe82411da98814f356d0e7bcb8f0219b8d970307c5afb4a6903a8b2e35",
  OutputProposed: "0xa7aaf2512769da4e444e3de247be2564225c2e7a8f74cfe528e46e17d24868e2",
  AssertionConfirmed: "0xfc42829b29c259a7370ab56c8f69fce23b5f351a9ce151da453281993ec0090c",
  NodeConfirmed: "0x22ef0479a7ff660660d1c2fe35f1b632cf31675c2d9378db8cec95b00d8ffa3c",
  AggregationPosted: "0x431e1446261f5ed64f6fcd5c8a75fe76dcc7c2c207555eeb6cf27749e78ca226",
  TreeCreated: "0x9c3f60c2e6a7371ef100b66ebf1544b6105b8826c20c6fe00bd98888df044a96",
};
const OLD_ZKEVM = "0xcb339b570a7f0b25afa7333371ff11192092a0aeace12b671f4c212f2815c6fe";

test("every signature of the catalogue hashes to the deployed contracts' topic, and every root is an argument", () => {
  const seen = new Set<string>();
  for (const row of CATALOGUE) {
    const spec = catalogueSpec(row, undefined, []);
    assert.ok(isSpec(spec), `${row.signature}: ${JSON.stringify(spec)}`);
    const topic = bytesToHex(signatureHash(parseSignature(row.signature)));
    const expected = seen.has(spec.signature.name) ? OLD_ZKEVM : TOPICS[spec.signature.name];
    assert.equal(topic, expected, row.signature);
    seen.add(spec.signature.name);
  }
  assert.deepEqual([...seen].sort(), Object.keys(TOPICS).sort());
});

const ROOT: Hex = `0x${"ab".repeat(32)}`;
const AGGREGATOR: Hex = `0x${"11".repeat(20)}`;

function polygon(where: Parameters<typeof catalogueSpec>[2] = []): EventSpec {
  const row = catalogueRow("VerifyBatchesTrustedAggregator");
  const spec = row === undefined ? undefined : catalogueSpec(row, undefined, where);
  return spec !== undefined && isSpec(spec) ? spec : assert.fail("no spec");
}

/** A log as the contract emits it, encoded by viem. */
function polygonLog(rollupID: number, stateRoot: Hex): { readonly topics: Hex[]; readonly data: Hex } {
  const item = parseAbiItem(
    "event VerifyBatchesTrustedAggregator(uint32 indexed rollupID, uint64 numBatch, bytes32 stateRoot, bytes32 exitRoot, address indexed aggregator)",
  );
  const topics = encodeEventTopics({ abi: [item], args: { rollupID, aggregator: AGGREGATOR } });
  const types = [{ type: "uint64" }, { type: "bytes32" }, { type: "bytes32" }] as const;
  return {
    topics: topics.map((topic) => String(topic) as Hex),
    data: encodeAbiParameters(types, [7n, stateRoot, ROOT]),
  };
}

test("a log is decoded, filtered by argument, and its root taken from where it sits", () => {
  const spec = polygon([{ argument: "rollupID", equal: true, value: 1n }]);
  const mine = polygonLog(1, ROOT);
  const event = decodeEvent(spec, mine.topics, mine.data);
  assert.equal(event.root, ROOT);
  assert.equal(event.arguments.aggregator, AGGREGATOR);
  assert.equal(matches(spec.where, event.arguments), true);
  const other = polygonLog(2, ROOT);
  assert.equal(matches(spec.where, decodeEvent(spec, other.topics, other.data).arguments), false);
  const empty = polygonLog(1, `0x${"00".repeat(32)}`);
  assert.equal(matches(spec.where, decodeEvent(spec, empty.topics, empty.data).arguments), false);
});

test("a log of the right topic and another shape is refused, never guessed at", () => {
  const spec = polygon();
  const { topics, data } = polygonLog(1, ROOT);
  const refused = (t: readonly Hex[], d: Hex) => assert.throws(() => decodeEvent(spec, t, d), AbiMismatch);
  refused(topics, `${data}00`);
  refused(topics, data.slice(0, -64) as Hex);
  refused(topics.slice(0, 2), data);
  refused([...topics, ROOT], data);
  refused([topics[0] ?? "0x", `0x${"ff".repeat(32)}`, topics[2] ?? "0x"], data);
  refused([ROOT, ...topics.slice(1)], data);
});

test("an integer root is submitted as 32 bytes", () => {
  const row = catalogueRow("LogStateUpdate");
  const spec = row === undefined ? undefined : catalogueSpec(row, undefined, []);
  assert.ok(spec !== undefined && isSpec(spec));
  const types = [{ type: "uint256" }, { type: "int256" }, { type: "uint256" }] as const;
  const event = decodeEvent(spec, [spec.topic0], encodeAbiParameters(types, [5n, -1n, 9n]));
  assert.equal(event.root, `0x${"5".padStart(64, "0")}`);
  assert.equal(event.arguments.blockNumber, -1n);
});

const QUERY = { address: AGGREGATOR, topic0: ROOT, from: 5n, to: 9n };
const LOG = {
  address: AGGREGATOR,
  topics: [ROOT],
  data: "0x",
  blockNumber: "0x6",
  blockHash: ROOT,
  transactionHash: ROOT,
  logIndex: "0x1",
  removed: false,
};

test("logs come in the chain's order, without those taken back; strange ones are refused", () => {
  const logs = readLogs(
    [{ ...LOG, blockNumber: "0x7" }, LOG, { ...LOG, logIndex: "0x0" }, { ...LOG, removed: true }],
    QUERY,
  );
  assert.deepEqual(
    logs.map((log) => [log.height, log.logIndex]),
    [
      [6n, 0],
      [6n, 1],
      [7n, 1],
    ],
  );
  const strange = [
    null,
    [null],
    [LOG, LOG],
    [{ ...LOG, blockNumber: "0xa" }],
    [{ ...LOG, address: `0x${"22".repeat(20)}` }],
    [{ ...LOG, topics: [] }],
    [{ ...LOG, data: "0x1" }],
    [{ ...LOG, blockHash: null }],
  ];
  for (const answer of strange) {
    assert.throws(
      () => readLogs(answer, QUERY),
      (error: EndpointError) => error.code === "undecodable",
    );
  }
});

const said = (text: string, status = -32_000) => new EndpointError("rpc-error", "refused", { said: text, status });

/** What providers and nodes answer when a range, or what is in it, is too much. */
const TOO_MUCH: readonly (readonly [who: string, text: string])[] = [
  ["Infura", "query returned more than 10000 results"],
  ["Infura", "query returned more than 10000 results. Try with this block range [0x2c1b, 0x2d00]."],
  ["zkSync", "Query returned more than 10000 results. Try with this block range [0x1, 0x2]."],
  ["Alchemy", "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"],
  [
    "Alchemy",
    "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Upgrade to PAYG",
  ],
  ["QuickNode", "eth_getLogs is limited to a 10,000 range"],
  ["QuickNode", "eth_getLogs is limited to a 5 range"],
  ["Ankr", "block range is too wide"],
  ["Cosmos EVM, Ankr", "maximum [from, to] blocks distance: 10000"],
  ["Avalanche", "requested too many blocks from 1 to 9999, maximum is set to 2048"],
  ["Cloudflare", "Max range: 800"],
  ["thirdweb", "Maximum allowed number of requested blocks is 3500"],
  ["BlockPI", "eth_getLogs is limited to 1024 block range, please check the parameter requirements"],
  ["1RPC", "eth_getLogs is limited to 0 - 10000 blocks range"],
  ["1RPC", "response size should not greater than 10000000 bytes"],
  ["LlamaRPC, reth", "query exceeds max results 20000, retry with the range 24383075-24383096"],
  ["reth, Hyperliquid", "query exceeds max block range 50"],
  ["Optimism", "backend response too large"],
  ["Optimism", "Block range is too large"],
  ["Base", "block range too large"],
  ["Base", "no backend is currently healthy to serve traffic"],
  ["Arbitrum", "logs matched by query exceeds limit of 10000"],
  ["Blast", "request exceeds the range allowed for your plan (5000 > 1000)"],
  ["Chainstack", "Block range limit exceeded. See more details at https://docs.example/limits"],
  ["Coinbase", "please limit the query to at most 1000 blocks"],
  ["PublicNode, BSC", "exceed maximum block range: 50000"],
  ["Tron", "exceed max block range: 5000"],
  ["Swell", "block range greater than 50000 max"],
  ["Somnia", "block range exceeds 1000"],
  ["Merkle", "eth_getLogs range is too large, max is 10k blocks"],
  ["Harmony", "query must be smaller than size 1024"],
  ["Moonriver", "block range is too wide (maximum 1024)"],
  ["Aurora", "You can make requests with up to a 2,000 block range"],
  ["Nethermind", "Too many logs requested. Max logs per response is 20000."],
  ["Besu", "Requested range exceeds maximum RPC range limit"],
  ["dRPC", "ranges over 10000 blocks are not supported on freetier"],
  ["Hedera", "Exceeded maximum block range: 1000"],
  ["geth", "query timeout exceeded"],
  ["geth", "request timed out"],
  ["dRPC", "Request timeout on the free tier, please upgrade your tier to the paid one"],
  ["erigon", "context deadline exceeded"],
];

/** A rate or a budget: waiting helps, a smaller range does not. */
const QUOTA: readonly (readonly [who: string, text: string])[] = [
  ["Infura", "daily request count exceeded, request rate limited"],
  ["Infura", "project ID request rate exceeded"],
  [
    "Alchemy",
    "Your app has exceeded its compute units per second capacity. If you have retries enabled, you can ignore it",
  ],
  ["Alchemy", "Monthly capacity limit exceeded. Visit https://dashboard.example to upgrade"],
  ["QuickNode", "50/second request limit reached - reduce calls per second or upgrade your account"],
  ["Chainstack", "You've exceeded the RPS limit available on the current plan."],
  ["1RPC", "You've reached the usage limit for your current plan"],
  ["many", "Too Many Requests"],
  ["many", "rate limit exceeded: limited to 10 requests per second"],
  ["many", "credits quota exceeded"],
];

/** Neither: trying the same again, elsewhere or later, or an operator helps. */
const OTHER: readonly string[] = [
  "execution reverted",
  "the method eth_getLogs does not exist/is not available",
  "block range extends beyond current head block",
  "invalid argument 0: json: cannot unmarshal hex string without 0x prefix",
  "missing trie node 0xabc (path )",
  "unknown block",
  "unauthorized",
];

test("range and size errors of many providers are told from quotas and from everything else", () => {
  for (const [who, text] of TOO_MUCH) {
    for (const status of [-32_000, -32_005, -32_602])
      assert.equal(isTooMuch(said(text, status)), true, `${who}: ${text}`);
  }
  for (const [who, text] of QUOTA) assert.equal(isTooMuch(said(text, -32_005)), false, `${who}: ${text}`);
  for (const text of OTHER) assert.equal(isTooMuch(said(text)), false, text);
  const others = [
    new EndpointError("too-large", "big"),
    new EndpointError("unreachable", "late", { timedOut: true }),
    new EndpointError("http-status", "413", { status: 413 }),
    new EndpointError("http-status", "400", { status: 400, said: "block range is too wide" }),
  ];
  for (const error of others) assert.equal(isTooMuch(error), true, error.message);
  assert.equal(isTooMuch(new EndpointError("unreachable", "refused")), false);
  assert.equal(isTooMuch(new Error("block range is too wide")), false);
});

test("silence may be the range's fault, but does not speak for the range against another endpoint's answer", () => {
  assert.equal(isRangeRefusal(new EndpointError("unreachable", "late", { timedOut: true })), false);
  assert.equal(isRangeRefusal(said("block range is too wide")), true);
});

test("a node without the blocks asked for lags; it does not refuse the range", () => {
  for (const text of ["block range extends beyond current head block", "unknown block", "header not found"]) {
    assert.equal(isNotThere(said(text)), true, text);
  }
  assert.equal(isNotThere(said("block range is too wide")), false);
});

test("more logs than are read of one answer are too much, a long log is left to its decoder", () => {
  const many = Array.from({ length: MAX_LOGS + 1 }, () => LOG);
  assert.throws(
    () => readLogs(many, QUERY),
    (error: EndpointError) => isRangeRefusal(error),
  );
  const [long] = readLogs([{ ...LOG, data: `0x${"ab".repeat(5 * 1024 * 1024)}` }], QUERY);
  assert.equal(long?.data.length, 2 + 10 * 1024 * 1024);
});

test("ranges halve to one block and grow back to the entry's own", () => {
  const widths: number[] = [];
  for (let range = narrower({ blocks: 2_000 }); range !== undefined; range = narrower(range)) widths.push(range.blocks);
  assert.deepEqual(widths, [1000, 500, 250, 125, 62, 31, 15, 7, 3, 1]);
  let range = { blocks: 1 };
  let steps = 0;
  for (; range.blocks < 2_000; steps += 1) range = wider(range, 2_000);
  assert.equal(range.blocks, 2_000);
  assert.ok(steps < 60);
});
