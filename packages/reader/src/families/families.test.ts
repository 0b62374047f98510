/**
 * Families that cannot run here, on small servers with the shapes their nodes answer (recorded shapes, not live nodes).
 * Real headers are in recomputed.test.ts; EVM, CometBFT and Bitcoin run against real nodes in test/reader.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, rpcOf, sourceOf } from "../testing/recorded-chain.ts";

const signal = AbortSignal.timeout(60_000);

test("Celestia: the extended header's own hash, integers as text or as numbers", async (t) => {
  const hash = "4C8D8B6B4B1B9A9F3B3A2A1A0F0E0D0C0B0A09080706050403020100FFEEDDCC";
  const zero = { hash: "", parts: { total: 0, hash: "" } };
  const header = (height: string | number) => ({
    version: { block: typeof height === "string" ? "11" : 11, app: typeof height === "string" ? "3" : 3 },
    chain_id: "celestia",
    height,
    time: "2024-01-02T03:04:05.123456789Z",
    last_block_id: zero,
    last_commit_hash: hash,
    data_hash: hash,
    validators_hash: hash,
    next_validators_hash: hash,
    consensus_hash: hash,
    app_hash: hash,
    last_results_hash: hash,
    evidence_hash: hash,
    proposer_address: hash.slice(0, 40),
  });
  const extended = (height: string | number, own: string) => ({
    header: header(height),
    commit: { block_id: { hash: own } },
  });
  const answers: Record<string, unknown> = {
    "header.NetworkHead": extended("7", hash),
    "header.GetByHeight [7]": extended("7", hash),
    "header.GetByHeight [8]": { error: { code: 1, message: "header: given height is from the future" } },
  };
  const { source } = await sourceOf(t, "header.GetByHeight", { rpc: rpcOf(answers) });
  assert.equal(await source.head(signal), 7n);
  assert.deepEqual(await source.identity(signal), { network: "celestia" });
  assert.equal(await codeOf(source.block(8n, signal)), "missing");
  assert.equal(await codeOf(source.block(7n, signal)), "undecodable", "the header does not hash to that");
  const own = await recomputed(source.block(7n, signal), header("7"));
  answers["header.GetByHeight [7]"] = extended("7", own);
  assert.equal((await source.block(7n, signal))?.hash, `0x${own.toLowerCase()}`);
  answers["header.GetByHeight [7]"] = extended(7, own);
  assert.equal((await source.block(7n, signal))?.nativeHash, own);
});

/** What CometBFT's rule gives for a header, by the package that a real node checks. */
async function recomputed(refused: Promise<unknown>, header: unknown): Promise<string> {
  await assert.rejects(refused);
  const { bytesToUpperHex, headerFromJson, headerHash } = await import("@cairn/comet");
  return bytesToUpperHex(headerHash(headerFromJson(header)));
}

test("Solana: slots, skipped ones passed over, the parent by its slot", async (t) => {
  const block = {
    blockhash: "3Eq21vXNB5s86c62bVuUfTeaMif1N2kUqRPBmGRJhyTA",
    blockHeight: 428,
    parentSlot: 428,
    previousBlockhash: "mfcyqEXB3DnHXki6KjjmZck6YjmZLvpAByy2fj4nh6B",
  };
  const slot = (n: number) =>
    `getBlock [${n},{"commitment":"finalized","transactionDetails":"none","rewards":false,"maxSupportedTransactionVersion":0}]`;
  const answers = {
    getSlot: 431,
    [slot(430)]: block,
    [slot(429)]: { error: { code: -32_007, message: "Slot 429 was skipped, or missing due to ledger jump" } },
    [slot(431)]: { error: { code: -32_004, message: "Block not available for slot 431" } },
    getGenesisHash: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  };
  const { source } = await sourceOf(t, "getBlock", { rpc: rpcOf(answers) });
  assert.equal(await source.head(signal), 431n);
  const taken = await source.block(430n, signal);
  assert.equal(taken?.nativeHash, block.blockhash);
  assert.equal(taken?.hash.length, 66);
  assert.equal(taken?.parentHeight, 428n);
  assert.equal(await source.block(429n, signal), undefined);
  assert.equal(await codeOf(source.block(431n, signal)), "missing");
});

test("Starknet: felts without leading zeros become 32 bytes; finalized is accepted on L1", async (t) => {
  const answers = {
    starknet_blockNumber: 700_000,
    'starknet_getBlockWithTxHashes ["l1_accepted"]': { block_number: 699_000 },
    'starknet_getBlockWithTxHashes [{"block_number":699000}]': {
      block_hash: "0x47c3637b57c2b079b93c61539950c17e868a28f46cdef28f88521067f21e943",
      block_number: 699_000,
      parent_hash: "0x1",
    },
    starknet_getBlockWithTxHashes: { error: { code: 24, message: "Block not found" } },
    starknet_chainId: "0x534e5f4d41494e",
  };
  const { source } = await sourceOf(
    t,
    "starknet_getBlockWithTxHashes",
    { rpc: rpcOf(answers) },
    { finality: "finalized" },
  );
  assert.equal(await source.takeable(await source.head(signal), signal), 699_000n);
  const block = await source.block(699_000n, signal);
  assert.equal(block?.hash, "0x047c3637b57c2b079b93c61539950c17e868a28f46cdef28f88521067f21e943");
  assert.equal(block?.parentHash, `0x${"1".padStart(64, "0")}`);
  assert.equal(await codeOf(source.block(1n, signal)), "missing");
});

test("NEAR: final blocks, skipped heights, the parent by its height", async (t) => {
  const header = {
    hash: "7CyZPoLDWAPUvEvGDWDLbCjQ6wdmYEYfkJKzPCqfrMLM",
    height: 100,
    prev_hash: "AknVYqY1VnKFzpHEYsyDMuQyC3wRZnnEXPVWMmAqJiPr",
    prev_height: 98,
  };
  const answers = {
    'block {"finality":"final"}': { header },
    'block {"block_id":100}': { header },
    block: {
      error: { name: "HANDLER_ERROR", cause: { name: "UNKNOWN_BLOCK" }, code: -32_000, message: "Server error" },
    },
    status: { chain_id: "mainnet" },
  };
  const { source } = await sourceOf(t, "block", { rpc: rpcOf(answers) }, { family: "near" });
  assert.equal(await source.head(signal), 100n);
  assert.equal((await source.block(100n, signal))?.parentHeight, 98n);
  assert.equal(await source.block(99n, signal), undefined);
  assert.deepEqual(await source.identity(signal), { network: "mainnet" });
});

test("Aptos: REST, numbers as text, no parent in the body", async (t) => {
  const hash = `0x${"5a".repeat(32)}`;
  const rest = (_: string, path: string) => {
    if (path === "/v1") return { chain_id: 1, block_height: "155" };
    return path === "/v1/blocks/by_height/155?with_transactions=false"
      ? { block_height: "155", block_hash: hash }
      : undefined;
  };
  const { source } = await sourceOf(t, "blocks/by_height", { rest });
  assert.equal(await source.head(signal), 155n);
  assert.deepEqual(await source.identity(signal), { chainId: "1" });
  const block = await source.block(155n, signal);
  assert.equal(block?.hash, hash);
  assert.equal(block?.parentHash, undefined);
  assert.equal(await codeOf(source.block(156n, signal)), "missing");
});

test("a method without family by its shape: the newest block only", async (t) => {
  const answers = { kaanch_latestblocks: [{ blockHash: `0x${"21".repeat(32)}`, blockNumber: 77 }] };
  const shape = { params: [1], hash: "/0/blockHash", number: "/0/blockNumber" };
  const { source } = await sourceOf(t, "kaanch_latestblocks", { rpc: rpcOf(answers) }, { shape });
  assert.equal(await source.head(signal), 77n);
  assert.equal((await source.block(77n, signal))?.hash, `0x${"21".repeat(32)}`);
  assert.equal(await codeOf(source.block(76n, signal)), "undecodable");
});

for (const strange of [null, 1, "x", [], {}, { hash: 1 }, { hash: `0x${"11".repeat(32)}`, number: [] }]) {
  test(`an answer of another shape is refused: ${JSON.stringify(strange)}`, async (t) => {
    const { source } = await sourceOf(t, "eth_getBlockByNumber", { rpc: () => ({ result: strange }) });
    assert.match(await codeOf(source.block(1n, signal)), /^(undecodable|missing)$/);
  });
}
