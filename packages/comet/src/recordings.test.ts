/** Every hash, encoding and signature of the recorded CometBFT v0.38.25 chain, recomputed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  base64ToBytes,
  blockFromJson,
  blockIdFromJson,
  blockToJson,
  bytesToUpperHex,
  commitFromJson,
  commitHash,
  commitToJson,
  consensusParamsHash,
  dataHash,
  decodeBlock,
  decodeVoteSignBytes,
  encodeBlock,
  evidenceHash,
  headerFromJson,
  headerHash,
  headerToJson,
  lastResultsHash,
  makePartSet,
  publicKeyAddress,
  validatorsFromJson,
  validatorsHash,
  validatorsToJson,
  verifyCommit,
  verifyEd25519,
  voteSignBytes,
} from "./index.ts";

interface TxResultJson {
  code: number;
  data: string | null;
  gas_wanted: string;
  gas_used: string;
}

interface Recording {
  height: number;
  block: { block_id: unknown; block: { header: { chain_id: string } } };
  commit: { signed_header: { header: unknown; commit: unknown } };
  validators: { validators: unknown };
  block_results: { txs_results: TxResultJson[] | null; app_hash: string | null };
  consensus_params: { consensus_params: { block: { max_bytes: string; max_gas: string } } };
}

const file = new URL("../../../test/vectors/comet-rpc/blocks.jsonl", import.meta.url);
const recordings: Recording[] = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const platform = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();

function opened(recording: Recording) {
  const block = blockFromJson(recording.block.block);
  const validators = validatorsFromJson(recording.validators.validators);
  const commit = commitFromJson(recording.commit.signed_header.commit);
  return { block, validators, commit, blockId: blockIdFromJson(recording.block.block_id) };
}

describe("recorded blocks", () => {
  it("covers transactions, evidence, rounds, absent signatures and validator changes", () => {
    const all = recordings.map(opened);
    assert.equal(all.length, 38);
    assert.ok(all.some(({ block }) => block.txs.length > 1));
    assert.ok(all.some(({ block }) => block.evidence.length > 0));
    assert.ok(all.some(({ commit }) => commit.round > 0));
    assert.ok(all.some(({ commit }) => commit.signatures.some((s) => s.blockIdFlag === 1)));
    assert.equal(new Set(all.map(({ validators }) => validators.length)).size, 2);
  });

  for (const [i, recording] of recordings.entries()) {
    const { block, validators, commit, blockId } = opened(recording);
    const { header } = block;

    it(`height ${recording.height}: hashes`, () => {
      assert.deepEqual(headerHash(header), blockId.hash);
      assert.deepEqual(dataHash(block.txs), header.dataHash);
      assert.deepEqual(new Uint8Array(dataHash(block.txs, platform)), header.dataHash);
      assert.deepEqual(commitHash(block.lastCommit), header.lastCommitHash);
      assert.deepEqual(evidenceHash(block.evidence), header.evidenceHash);
      assert.deepEqual(validatorsHash(validators), header.validatorsHash);
      const params = recording.consensus_params.consensus_params.block;
      const limits = { maxBytes: BigInt(params.max_bytes), maxGas: BigInt(params.max_gas) };
      assert.deepEqual(consensusParamsHash(limits), header.consensusHash);
      for (const validator of validators) assert.deepEqual(publicKeyAddress(validator.pubKey), validator.address);
    });

    it(`height ${recording.height}: bytes and parts`, () => {
      const bytes = encodeBlock(block);
      const { header: parts } = makePartSet(bytes);
      assert.equal(parts.total, blockId.parts.total);
      assert.deepEqual(parts.hash, blockId.parts.hash);
      assert.deepEqual(decodeBlock(bytes), block);
    });

    it(`height ${recording.height}: JSON both ways`, () => {
      assert.equal(JSON.stringify(blockToJson(block)), JSON.stringify(recording.block.block));
      assert.equal(JSON.stringify(headerToJson(header)), JSON.stringify(recording.commit.signed_header.header));
      assert.deepEqual(headerFromJson(recording.commit.signed_header.header), header);
      assert.equal(JSON.stringify(commitToJson(commit)), JSON.stringify(recording.commit.signed_header.commit));
      assert.equal(JSON.stringify(validatorsToJson(validators)), JSON.stringify(recording.validators.validators));
    });

    it(`height ${recording.height}: commit`, () => {
      const check = { chainId: header.chainId, validators, blockId, height: header.height, commit };
      assert.equal(verifyCommit(check).ok, true);
      for (const [index, entry] of commit.signatures.entries()) {
        if (entry.blockIdFlag !== 2) continue;
        const vote = { type: 2, ...commit, timestamp: entry.timestamp, chainId: header.chainId } as const;
        assert.deepEqual(voteSignBytes(decodeVoteSignBytes(voteSignBytes(vote))), voteSignBytes(vote));
        const key = validators[index]?.pubKey.bytes ?? new Uint8Array(0);
        assert.equal(verifyEd25519(key, voteSignBytes(vote), entry.signature), true);
      }
    });

    const next = recordings[i + 1];
    if (next === undefined) continue;
    it(`height ${recording.height}: what the next header says of it`, () => {
      const nextHeader = opened(next).block.header;
      const results = (recording.block_results.txs_results ?? []).map((result) => ({
        code: result.code,
        data: base64ToBytes(result.data ?? ""),
        gasWanted: BigInt(result.gas_wanted),
        gasUsed: BigInt(result.gas_used),
      }));
      assert.deepEqual(lastResultsHash(results), nextHeader.lastResultsHash);
      assert.equal(bytesToUpperHex(nextHeader.lastBlockId.hash), bytesToUpperHex(blockId.hash));
      assert.deepEqual(nextHeader.appHash, base64ToBytes(recording.block_results.app_hash ?? ""));
      assert.deepEqual(header.nextValidatorsHash, nextHeader.validatorsHash);
    });
  }
});
