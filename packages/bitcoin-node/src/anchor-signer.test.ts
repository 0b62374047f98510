import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { parseTransaction } from "@cairn/bitcoin";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { OutScript, p2wpkh, Transaction } from "@scure/btc-signer";
import { type AnchorTemplate, checkAnchor, createKeySigner, createPsbtSigner, SignerError } from "./anchor-signer.ts";
import { createAnchorWallet } from "./anchor-wallet.ts";
import { createBitcoinRpc } from "./bitcoin-rpc.ts";
import { testWallet, withRegtest } from "./testing/regtest-fixture.ts";

const SECRET = new Uint8Array(32).fill(7);
const PUBLIC = secp256k1.getPublicKey(SECRET, true);
const CAP_SAT = 5_000;
const OTHER_SCRIPT = p2wpkh(secp256k1.getPublicKey(new Uint8Array(32).fill(9), true)).script;

const coin = (n: number) => ({ txid: n.toString(16).padStart(64, "0"), vout: 0, valueSat: 100_000n });
const TEMPLATE: AnchorTemplate = {
  input: coin(1),
  extraInputs: [coin(2)],
  data: new Uint8Array(40).fill(3),
  feeSat: 300n,
};

/** An external signer: the stock library on a key of its own. `alter` makes it a bad one. */
function outside(alter: (tx: Transaction) => Transaction = (tx) => tx, secret: Uint8Array = SECRET) {
  return async (psbt: string): Promise<string> => {
    const tx = alter(Transaction.fromPSBT(Buffer.from(psbt, "base64"), { allowUnknownOutputs: true }));
    tx.sign(secret);
    return Buffer.from(tx.toPSBT()).toString("base64");
  };
}

const signerOver = (exchange: (psbt: string) => Promise<string>) =>
  createPsbtSigner({ publicKey: PUBLIC, network: "regtest", capSat: CAP_SAT, exchange });

test("key and external signer have the same address and sign the same bytes", async () => {
  const key = createKeySigner(createAnchorWallet({ privateKey: SECRET, network: "regtest" }), CAP_SAT);
  const psbt = signerOver(outside());
  assert.equal(psbt.address, key.address);
  assert.deepEqual(await psbt.sign(TEMPLATE), await key.sign(TEMPLATE));
});

test("what an external signer signs, a node takes", async () => {
  await withRegtest(async ({ node }) => {
    const input = await node.fundAddress(testWallet().address, 100_000n);
    const extra = await node.fundAddress(testWallet().address, 50_000n);
    await node.mine(1);
    const signed = await signerOver(outside()).sign({ ...TEMPLATE, input, extraInputs: [extra] });
    const sent = await createBitcoinRpc({ url: node.url }).sendRawTransaction(signed.rawTx);
    assert.deepEqual(sent, { ok: true, txid: signed.txid });
  });
});

describe("an external signer that returns something else is refused", () => {
  const rebuilt = (change: (fresh: Transaction, tx: Transaction) => void) => (tx: Transaction) => {
    const fresh = new Transaction({ version: 2, allowUnknownOutputs: true });
    change(fresh, tx);
    return fresh;
  };
  const copy = (fresh: Transaction, tx: Transaction, o: { inputs?: number[]; pay?: Uint8Array; less?: bigint }) => {
    for (const index of o.inputs ?? [0, 1]) fresh.addInput(tx.getInput(index));
    const [change, data] = [tx.getOutput(0), tx.getOutput(1)];
    const script = o.pay ?? change.script ?? new Uint8Array();
    fresh.addOutput({ script, amount: (change.amount ?? 0n) - (o.less ?? 0n) });
    fresh.addOutput({ script: data.script ?? new Uint8Array(), amount: 0n });
  };
  const bad: Readonly<Record<string, (psbt: string) => Promise<string>>> = {
    "change to somebody else": outside(rebuilt((fresh, tx) => copy(fresh, tx, { pay: OTHER_SCRIPT }))),
    "a higher fee": outside(rebuilt((fresh, tx) => copy(fresh, tx, { less: 1_000n }))),
    "inputs in another order": outside(rebuilt((fresh, tx) => copy(fresh, tx, { inputs: [1, 0] }))),
    "an input less": outside(rebuilt((fresh, tx) => copy(fresh, tx, { inputs: [0] }))),
    "no signature": async (psbt) => psbt,
    "another key's signature": outside((tx) => {
      const witnessUtxo = { script: OTHER_SCRIPT, amount: 100_000n };
      for (const index of [0, 1]) tx.updateInput(index, { witnessUtxo }, true);
      return tx;
    }, new Uint8Array(32).fill(9)),
    "no PSBT": async () => "bm9uc2Vuc2U=",
    nothing: async () => "",
  };
  for (const [name, exchange] of Object.entries(bad)) {
    it(name, () => assert.rejects(signerOver(exchange).sign(TEMPLATE), SignerError));
  }
});

describe("the template refuses", () => {
  const wallet = testWallet();
  const rules = { template: TEMPLATE, scriptPubKey: wallet.scriptPubKey, capSat: CAP_SAT };
  const good = parseTransaction(wallet.buildAnchor(TEMPLATE).rawTx);
  const [first, second] = good.inputs;
  const [change, data] = good.outputs;
  assert.ok(first && second && change && data);
  const cases: Readonly<Record<string, Partial<typeof good>>> = {
    "another first input": { inputs: [{ ...first, vout: 1 }, second] },
    "a foreign further input": { inputs: [first, { ...second, vout: 9 }] },
    "more inputs": { inputs: [...good.inputs, second] },
    "an input that cannot be replaced": { inputs: [{ ...first, sequence: 0xffffffff }, second] },
    "foreign change": { outputs: [{ ...change, scriptPubKey: OTHER_SCRIPT }, data] },
    "a further output": { outputs: [...good.outputs, { ...change, valueSat: 1n }] },
    "no data": { outputs: [change] },
    "another root": { outputs: [change, { ...data, scriptPubKey: Uint8Array.of(0x6a, 1, 5) }] },
    "burnt money": { outputs: [change, { ...data, valueSat: 1n }] },
    "another fee": { outputs: [{ ...change, valueSat: change.valueSat - 1n }, data] },
    "a lock time": { lockTime: 7 },
  };
  it("nothing of the template itself", () => checkAnchor(good, rules));
  for (const [name, alteration] of Object.entries(cases)) {
    it(name, () => assert.throws(() => checkAnchor({ ...good, ...alteration }, rules), { code: "refused" }));
  }
  it("a fee above the cap, before anything is signed", async () => {
    let asked = false;
    const exchange = async (): Promise<string> => {
      asked = true;
      return "";
    };
    await assert.rejects(signerOver(exchange).sign({ ...TEMPLATE, feeSat: 5_001n }), /cap/);
    assert.equal(asked, false);
  });
});

test("an address is a P2WPKH of the network", () => {
  assert.equal(OutScript.decode(signerOver(outside()).scriptPubKey).type, "wpkh");
  assert.throws(
    () => createPsbtSigner({ publicKey: new Uint8Array(33), network: "regtest", capSat: 1, exchange: outside() }),
    {
      code: "bad-key",
    },
  );
});
