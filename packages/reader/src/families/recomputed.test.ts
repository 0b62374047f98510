/** Hashes recomputed from real headers of live networks, served in the shapes their nodes answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, rpcOf, sourceOf } from "../testing/recorded-chain.ts";

const signal = AbortSignal.timeout(60_000);

const POLKADOT_GENESIS = "0x91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3";
const POLKADOT_HEADER = {
  parentHash: `0x${"00".repeat(32)}`,
  number: "0x0",
  stateRoot: "0x29d0d972cd27cbc511e9589fcb7a4506d5eb6a9e8df205f00472e5ab354a4e17",
  extrinsicsRoot: "0x03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314",
  digest: { logs: [] as string[] },
};

test("Substrate: the hash of Polkadot's first header is recomputed, a changed header refused", async (t) => {
  const answers: Record<string, unknown> = {
    "chain_getHeader []": { ...POLKADOT_HEADER, number: "0x10" },
    "chain_getBlockHash [0]": POLKADOT_GENESIS,
    "chain_getBlockHash [99]": null,
    [`chain_getHeader ["${POLKADOT_GENESIS}"]`]: POLKADOT_HEADER,
    chain_getFinalizedHead: POLKADOT_GENESIS,
    system_chain: "Polkadot",
  };
  const { source, server } = await sourceOf(t, "chain_getHeader", { rpc: rpcOf(answers) }, { finality: "finalized" });
  assert.equal(await source.head(signal), 16n);
  assert.equal(await source.takeable(16n, signal), 0n);
  assert.deepEqual(await source.identity(signal), { network: "Polkadot", genesis: POLKADOT_GENESIS });
  const block = await source.block(0n, signal);
  assert.equal(block?.hash, POLKADOT_GENESIS);
  assert.equal(await codeOf(source.block(99n, signal)), "missing");
  assert.ok(server.asked.every(({ headers }) => headers.authorization === "Bearer key-for-tests"));
  answers[`chain_getHeader ["${POLKADOT_GENESIS}"]`] = { ...POLKADOT_HEADER, digest: { logs: ["0x00"] } };
  assert.equal(await codeOf(source.block(0n, signal)), "undecodable");
});

test("Substrate with a header extension (Avail): kept as answered", async (t) => {
  const hash = `0x${"77".repeat(32)}`;
  const header = { ...POLKADOT_HEADER, number: "0x5", extension: { V3: { appLookup: { size: 1, index: [] } } } };
  const answers = { "chain_getBlockHash [5]": hash, chain_getHeader: header };
  const { source } = await sourceOf(t, "chain_getBlockHash", { rpc: rpcOf(answers) });
  const block = await source.block(5n, signal);
  assert.equal(block?.hash, hash);
  assert.deepEqual(block?.evidence, { family: "substrate", hash, header });
});

const BITCOIN_1 = {
  hash: "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048",
  height: 1,
  version: 1,
  merkleroot: "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098",
  time: 1_231_469_665,
  nonce: 2_573_394_689,
  bits: "1d00ffff",
  previousblockhash: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
};

test("Bitcoin: the second block's header, its work and its hash", async (t) => {
  const answers: Record<string, unknown> = {
    getblockcount: 900_000,
    "getblockhash [1]": BITCOIN_1.hash,
    "getblockhash [900001]": { error: { code: -8, message: "Block height out of range" } },
    getblockheader: BITCOIN_1,
  };
  const { source } = await sourceOf(t, "getblockheader", { rpc: rpcOf(answers) }, { confirmations: 6 });
  assert.equal(await source.takeable(await source.head(signal), signal), 899_994n);
  const block = await source.block(1n, signal);
  assert.equal(block?.hash, `0x${BITCOIN_1.hash}`);
  assert.equal(block?.parentHash, `0x${BITCOIN_1.previousblockhash}`);
  assert.equal(await codeOf(source.block(900_001n, signal)), "missing");
  answers.getblockheader = { ...BITCOIN_1, nonce: 1 };
  assert.equal(await codeOf(source.block(1n, signal)), "undecodable");
});

const TRON_BLOCK = {
  blockID: "0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e",
  block_header: {
    raw_data: {
      number: 66_987_565,
      txTrieRoot: "faf8fe3858339ead25cc892461c82a59b84dca4a51c45b026676bf3f45a352a2",
      witness_address: "41b2f713d57dbcec679d93a8849fa0cd0e4db594ba",
      parentHash: "0000000003fe262c85cd6b02033f4c3e5c1efa35de256a17bd906dc61fb1aeed",
      version: 34,
      timestamp: 1_777_445_121_000,
    },
    witness_signature: "",
  },
};

test("Tron: a block id is recomputed from its header; an empty answer is a node that lags", async (t) => {
  const rest = (_: string, path: string, body: unknown) => {
    if (path === "/walletsolidity/getnowblock") return TRON_BLOCK;
    return (body as { readonly num: number }).num === 66_987_565 ? TRON_BLOCK : {};
  };
  const { source } = await sourceOf(t, "getblockbynum", { rest });
  assert.equal(await source.head(signal), 66_987_565n);
  assert.equal((await source.block(66_987_565n, signal))?.hash, `0x${TRON_BLOCK.blockID}`);
  assert.equal(await codeOf(source.block(66_987_566n, signal)), "missing");
  const lying = { ...TRON_BLOCK, blockID: TRON_BLOCK.blockID.replace("52bf", "52be") };
  const { source: liar } = await sourceOf(t, "getblockbynum", { rest: () => lying });
  assert.equal(await codeOf(liar.block(66_987_565n, signal)), "undecodable");
});
