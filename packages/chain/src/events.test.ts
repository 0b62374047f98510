import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { ExecutedTx } from "@cairn/native";
import { logsBloom } from "@cairn/primitives";
import { getAddress, keccak256 } from "viem";
import { blockEvents, txEvents } from "./events.ts";
import { CHECK_CODES, txResult } from "./tx-result.ts";

const raw = new TextEncoder().encode("a transaction");
const TO = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const SENDER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const log = { address: TO, topics: [`0x${"11".repeat(32)}`], data: "0x", logIndex: "0x0" };

const executed: ExecutedTx = {
  included: true,
  hash: keccak256(raw),
  index: 3,
  sender: SENDER,
  to: TO,
  contractAddress: null,
  nonce: 5n,
  valueWei: 10n ** 18n,
  gasLimit: 50_000n,
  gasUsed: 21_000n,
  type: 2,
  success: true,
  logsJson: JSON.stringify([log, log]),
};

const values = (events: ReturnType<typeof txEvents>, type: string, key: string) =>
  events.filter((e) => e.type === type).flatMap((e) => e.attributes.filter((a) => a.key === key).map((a) => a.value));

describe("events of a transaction", () => {
  it("come in their order with both spellings of addresses", () => {
    const events = txEvents(executed, raw);
    assert.deepEqual(
      events.map((e) => e.type),
      ["ethereum_tx", "ethereum", "tx_log", "tx_log", "message"],
    );
    for (const type of ["ethereum_tx", "ethereum"]) {
      assert.deepEqual(values(events, type, "recipient"), [getAddress(TO), TO]);
      assert.deepEqual(values(events, type, "ethereumTxHash"), [executed.hash]);
      assert.deepEqual(values(events, type, "txIndex"), ["3"]);
      assert.deepEqual(values(events, type, "amount"), ["1000000000000000000"]);
      assert.deepEqual(values(events, type, "txGasUsed"), ["21000"]);
      const native = createHash("sha256").update(raw).digest("hex").toUpperCase();
      assert.deepEqual(values(events, type, "txHash"), [native]);
      assert.deepEqual(values(events, type, "ethereumTxFailed"), []);
    }
    assert.deepEqual(values(events, "message", "sender"), [getAddress(SENDER), SENDER]);
    assert.deepEqual(values(events, "message", "module"), ["evm"]);
    assert.deepEqual(values(events, "message", "txType"), ["2"]);
    assert.deepEqual(
      values(events, "tx_log", "txLog").map((text) => JSON.parse(text)),
      [log, log],
    );
  });

  it("have no recipient for a creation and tell a failure", () => {
    const events = txEvents({ ...executed, to: null, success: false, logsJson: "[]" }, raw);
    assert.deepEqual(values(events, "ethereum_tx", "recipient"), []);
    assert.equal(values(events, "ethereum_tx", "ethereumTxFailed").length, 1);
    assert.deepEqual(
      events.map((e) => e.type),
      ["ethereum_tx", "ethereum", "message"],
    );
  });
});

describe("events of a block", () => {
  it("carry their mode, the bloom and the sums", () => {
    const events = blockEvents({ height: 9n, baseFeePerGasWei: 7n, executed: [executed, executed] });
    const modes = events.map((e) => [e.type, e.attributes.find((a) => a.key === "mode")?.value]);
    assert.deepEqual(modes, [
      ["begin_block", "BeginBlock"],
      ["fee_market", "BeginBlock"],
      ["block_bloom", "EndBlock"],
      ["block_gas", "EndBlock"],
      ["end_block", "EndBlock"],
    ]);
    assert.deepEqual(values(events, "block_gas", "amount"), ["42000"]);
    assert.deepEqual(values(events, "fee_market", "base_fee"), ["7"]);
    const bloom = logsBloom([{ address: TO, topics: [`0x${"11".repeat(32)}`], data: "0x" }]);
    assert.deepEqual(values(events, "block_bloom", "bloom"), [`0x${Buffer.from(bloom).toString("hex")}`]);
  });
});

describe("results of transactions", () => {
  it("are 0 for success, 1 for failure, the given code when not executed", () => {
    assert.equal(txResult(executed, raw).code, 0);
    const failed = txResult({ ...executed, success: false }, raw);
    assert.deepEqual([failed.code, failed.gasWanted, failed.gasUsed], [1, 50_000n, 21_000n]);
    const skipped = txResult({ included: false, code: 4, reason: "nonce" }, raw);
    assert.deepEqual([skipped.code, skipped.log, skipped.gasUsed, skipped.events.length], [4, "nonce", 0n, 0]);
  });

  it("builds events once, when they are read", () => {
    const result = txResult(executed, raw);
    assert.equal(result.events, result.events);
  });

  it("has check codes that are all different and above 1", () => {
    const codes = Object.values(CHECK_CODES);
    assert.equal(new Set(codes).size, codes.length);
    assert.ok(codes.every((code) => code >= 2));
  });
});
