import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ConsensusError } from "./errors.ts";
import { type CometGenesis, loadGenesis, parseGenesis } from "./genesis.ts";
import { initHome } from "./home.ts";
import { loadNodeKey, nodeId } from "./node-key.ts";
import { DEFAULT_PARAMS, maxDataBytes, updateParams } from "./params.ts";
import { createTestHome } from "./test-support/test-home.ts";

const isInvalid = (error: unknown): boolean => error instanceof ConsensusError && error.code === "invalid-home";
const key = { type: "tendermint/PubKeyEd25519", value: Buffer.alloc(32, 3).toString("base64") };
const base: CometGenesis = { genesis_time: "2026-01-01T00:00:00Z", chain_id: "c" };

describe("genesis", () => {
  it("completes defaults and keeps the application's part as it is", () => {
    const genesis = parseGenesis({ ...base, app_state: { b: "0x1", a: [1, null] } });
    assert.deepEqual(genesis.params, DEFAULT_PARAMS);
    assert.equal(new TextDecoder().decode(genesis.appState), '{"b":"0x1","a":[1,null]}');
    assert.equal(genesis.document.initial_height, "1");
    assert.deepEqual(parseGenesis(genesis.document), genesis);
    assert.equal(parseGenesis({ ...base, initial_height: "0" }).initialHeight, 1n);
  });

  it("refuses what CometBFT would", () => {
    const bad: Partial<CometGenesis>[] = [
      { chain_id: "" },
      { chain_id: "x".repeat(51) },
      { genesis_time: "yesterday" },
      { initial_height: "-1" },
      { app_hash: "xyz" },
      { validators: [{ pub_key: key, power: "0", name: "" }] },
      { validators: [{ pub_key: { ...key, value: "AAAA" }, power: "1", name: "" }] },
      { validators: [{ address: "00".repeat(20), pub_key: key, power: "1", name: "" }] },
      { consensus_params: { block: { max_bytes: "0", max_gas: "-1" } } },
      { consensus_params: { block: { max_bytes: "104857601", max_gas: "-1" } } },
    ];
    for (const change of bad) assert.throws(() => parseGenesis({ ...base, ...change }), isInvalid);
  });

  it("is not overwritten by a second initHome", async () => {
    const { home } = await createTestHome();
    const text = readFileSync(home.genesisFile, "utf8");
    const again = await initHome({ home, genesis: { ...base, chain_id: "other" } });
    assert.equal(again.genesis.chainId, "ledger-1");
    assert.equal(readFileSync(home.genesisFile, "utf8"), text);
    assert.equal(again.nodeId, nodeId(await loadNodeKey(home.nodeKeyFile)));
    writeFileSync(home.genesisFile, "[");
    await assert.rejects(loadGenesis(home.genesisFile), isInvalid);
  });
});

describe("consensus parameters", () => {
  it("are updated by whole groups", () => {
    const block = { maxBytes: 5_000n, maxGas: 9n };
    assert.deepEqual(updateParams(DEFAULT_PARAMS, { block }), { ...DEFAULT_PARAMS, block });
    assert.deepEqual(updateParams(DEFAULT_PARAMS, undefined), DEFAULT_PARAMS);
  });

  it("leave the bytes that header, commit and framing do not take", () => {
    assert.equal(maxDataBytes(DEFAULT_PARAMS), 22_020_096n - 11n - 626n - 94n - 111n);
  });
});
