import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { opReturnData, parseTransaction } from "@cairn/bitcoin";
import { Transaction } from "@scure/btc-signer";
import { ANCHOR_SEQUENCE, createAnchorWallet, type WalletNetwork } from "./index.ts";
import { checkInputSignature } from "./regtest/signature.ts";

const privateKey = new Uint8Array(32).fill(1);
const wallet = createAnchorWallet({ privateKey, network: "regtest" });
const input = { txid: "ab".repeat(32), vout: 3, valueSat: 100_000n };
const data = new Uint8Array(40).fill(9);

describe("anchor wallet", () => {
  it("has the address of its key on every network", () => {
    // The same from python-bitcoinlib.
    const addresses: Record<WalletNetwork, string> = {
      mainnet: "bc1q0xcqpzrky6eff2g52qdye53xkk9jxkvrh6yhyw",
      testnet4: "tb1q0xcqpzrky6eff2g52qdye53xkk9jxkvraulyla",
      signet: "tb1q0xcqpzrky6eff2g52qdye53xkk9jxkvraulyla",
      regtest: "bcrt1q0xcqpzrky6eff2g52qdye53xkk9jxkvrl4xfg5",
    };
    for (const network of ["mainnet", "testnet4", "signet", "regtest"] as const) {
      assert.equal(createAnchorWallet({ privateKey, network }).address, addresses[network]);
    }
  });

  it("spends the chained input first, to change and OP_RETURN", () => {
    const extra = { txid: "cd".repeat(32), vout: 0, valueSat: 5_000n };
    const anchor = wallet.buildAnchor({ input, extraInputs: [extra], data, feeSat: 700n });
    const tx = parseTransaction(anchor.rawTx);
    assert.deepEqual(
      tx.inputs.map(({ vout, sequence }) => [vout, sequence]),
      [
        [3, ANCHOR_SEQUENCE],
        [0, ANCHOR_SEQUENCE],
      ],
    );
    assert.deepEqual(
      tx.outputs.map(({ valueSat }) => valueSat),
      [104_300n, 0n],
    );
    assert.deepEqual(tx.outputs[0]?.scriptPubKey, wallet.scriptPubKey);
    assert.deepEqual(opReturnData(tx.outputs[anchor.dataOutput]?.scriptPubKey ?? data), data);
    assert.deepEqual(anchor.change, { txid: anchor.txid, vout: 0, valueSat: 104_300n });
    assert.equal(anchor.txid, Transaction.fromRaw(anchor.rawTx, { allowUnknownOutputs: true }).id);
  });

  it("signs what a checker of its own accepts, and only that", () => {
    const anchor = wallet.buildAnchor({ input, data, feeSat: 700n });
    assert.ok(anchor.vsize >= 160 && anchor.vsize <= 162);
    const tx = parseTransaction(anchor.rawTx);
    const spent = { script: wallet.scriptPubKey, valueSat: input.valueSat };
    assert.equal(checkInputSignature(tx, 0, spent), "valid");
    assert.equal(checkInputSignature(tx, 0, { ...spent, valueSat: 99_999n }), "invalid");
    assert.equal(checkInputSignature({ ...tx, lockTime: 1 }, 0, spent), "invalid");
    const others = createAnchorWallet({ privateKey: new Uint8Array(32).fill(2), network: "regtest" });
    assert.equal(checkInputSignature(tx, 0, { ...spent, script: others.scriptPubKey }), "invalid");
    assert.equal(checkInputSignature(tx, 0, { ...spent, script: Uint8Array.of(0x51) }), "unsupported");
    const unsigned = { ...tx, inputs: tx.inputs.map((item) => ({ ...item, witness: [] })) };
    assert.equal(checkInputSignature(unsigned, 0, spent), "invalid");
    assert.equal(checkInputSignature(tx, 1, spent), "unsupported");
  });

  it("refuses dust, long data, negative fees and keys that are none", () => {
    const build = (change: object) => () => wallet.buildAnchor({ input, data, feeSat: 1n, ...change });
    assert.throws(build({ feeSat: 99_707n }), { code: "dust-change" });
    assert.doesNotThrow(build({ feeSat: 99_706n }));
    assert.throws(build({ data: new Uint8Array(41) }), { code: "bad-data" });
    assert.throws(build({ data: new Uint8Array(0) }), { code: "bad-data" });
    assert.throws(build({ feeSat: -1n }), { code: "bad-fee" });
    for (const key of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31)]) {
      assert.throws(() => createAnchorWallet({ privateKey: key, network: "regtest" }), { code: "bad-key" });
    }
  });
});
