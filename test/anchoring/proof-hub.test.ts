/** What receipts are checked against is what the contract and its library say. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BATCH_SETTLED_TOPIC, encodeSettleCall, ProofHub } from "@cairn/contracts";
import { bytesToHex, decodeReceipt, hexToBytes } from "@cairn/primitives";
import { batchSettledTopic, PROOF_HUB_ADDRESS, readBatchSettled, readSettleNumber } from "@cairn/proofs";
import { decodeEventLog, parseAbi } from "viem";
import { settledReceipt } from "../../packages/proofs/src/testing/receipt-fixture.ts";

const EVENT =
  "event BatchSettled(address indexed submitter, uint64 indexed number, bytes32 indexed commitment, bytes32 root, uint32 size, uint32 verified, uint32 commitments, bytes excluded)";

describe("ProofHub", () => {
  it("has the address and the event that receipts name", () => {
    assert.equal(PROOF_HUB_ADDRESS, ProofHub.address.toLowerCase());
    assert.equal(batchSettledTopic(), BATCH_SETTLED_TOPIC);
  });

  it("settle calls are read as the contract's library writes them", () => {
    const call = encodeSettleCall(77n, Uint8Array.of(1, 2, 3), []);
    assert.equal(readSettleNumber(call), 77n);
    assert.equal(readSettleNumber(call.with(0, (call[0] ?? 0) ^ 1)), undefined);
    assert.equal(readSettleNumber(call.slice(0, 99)), undefined);
  });

  it("events are read as viem reads them", () => {
    const { receipt } = settledReceipt();
    const { logs } = decodeReceipt(hexToBytes(receipt.settlement.receipt_rlp));
    const log = logs.find(({ address }) => address === PROOF_HUB_ADDRESS);
    assert.ok(log !== undefined);
    const [signature, ...indexed] = log.topics;
    assert.ok(signature !== undefined);
    const { args } = decodeEventLog({ abi: parseAbi([EVENT]), data: log.data, topics: [signature, ...indexed] });
    const ours = readBatchSettled(log, PROOF_HUB_ADDRESS);
    assert.ok(ours !== undefined);
    assert.equal(bytesToHex(ours.submitter), args.submitter.toLowerCase());
    assert.equal(ours.number, args.number);
    assert.equal(bytesToHex(ours.commitment), args.commitment);
    assert.equal(bytesToHex(ours.root), args.root);
    assert.deepEqual([ours.size, ours.verified, ours.commitments], [args.size, args.verified, args.commitments]);
    assert.equal(readBatchSettled(log, "0x00000000000000000000000000000000000000aa"), undefined);
  });
});
