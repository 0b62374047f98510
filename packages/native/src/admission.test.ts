import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "@cairn/primitives";
import { bytesToHex, hexToBytes, keccak256 } from "@cairn/primitives";
import { RLP } from "@ethereumjs/rlp";
import { parseTransaction, serializeTransaction } from "viem";
import type { AdmitOutcome } from "./boundary/admission.ts";
import {
  account,
  CHAIN_ID,
  CRN,
  genesisText,
  openTestChain,
  send,
  type TestChain,
  transfer,
} from "./testing/test-chain.ts";

const [alice, bob] = [account(0), account(1)];
const FEES = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let chain: TestChain;
before(async () => {
  chain = await openTestChain();
});
after(() => chain.close());

async function admitOne(raw: Hex): Promise<AdmitOutcome> {
  const [outcome] = await chain.native.admit([hexToBytes(raw)]);
  assert.ok(outcome);
  return outcome;
}

const base = { chainId: CHAIN_ID, nonce: 0, to: bob.address, value: 1n, gas: 21_000n } as const;

test("an admissible transaction comes with its fields and the sender's account", async () => {
  const raw = await transfer({ from: alice, nonce: 7, to: bob.address, value: 5n });
  assert.deepEqual(await admitOne(raw), {
    ok: true,
    hash: bytesToHex(keccak256(hexToBytes(raw))),
    type: 2,
    sender: alice.address.toLowerCase(),
    to: bob.address.toLowerCase(),
    nonce: 7n,
    gas: 21_000n,
    maxFeePerGasWei: 10_000_000_000n,
    maxPriorityFeePerGasWei: 1_000_000_000n,
    valueWei: 5n,
    size: hexToBytes(raw).length,
    senderNonce: 0n,
    senderBalanceWei: 10_000n * CRN,
    authorities: [],
  });
  const legacy = await admitOne(await alice.signTransaction({ ...base, type: "legacy", gasPrice: 3n }));
  assert.equal(legacy.ok && legacy.maxPriorityFeePerGasWei, 3n);
  const creation = await admitOne(await send({ from: alice, nonce: 0, data: "0x00" }));
  assert.equal(creation.ok && creation.to, null);
});

test("every refusal has its code and numbers", async () => {
  const blob = `0x03${"c0".repeat(10)}` as const;
  const code = (bytes: number): Hex => `0x${"00".repeat(bytes)}`;
  const cases: [Hex, AdmitOutcome][] = [
    ["0x", { ok: false, code: "undecodable" }],
    ["0x02", { ok: false, code: "undecodable" }],
    ["0x80", { ok: false, code: "undecodable" }],
    ["0xc0", { ok: false, code: "undecodable" }],
    ["0x00c0", { ok: false, code: "unsupported-type" }],
    ["0x05c0", { ok: false, code: "unsupported-type" }],
    [blob, { ok: false, code: "unsupported-type" }],
    [
      await alice.signTransaction({ ...base, ...FEES, chainId: 1 }),
      { ok: false, code: "wrong-chain-id", have: 1n, want: BigInt(CHAIN_ID) },
    ],
    [
      await alice.signTransaction({ ...base, ...FEES, gas: 20_999n }),
      { ok: false, code: "intrinsic-gas", have: 20_999n, want: 21_000n },
    ],
    [
      await alice.signTransaction({ ...base, ...FEES, data: `0x${"11".repeat(1000)}`, gas: 60_999n }),
      { ok: false, code: "floor-gas", have: 60_999n, want: 61_000n },
    ],
    [
      await alice.signTransaction({ ...base, ...FEES, gas: 100_000_001n }),
      { ok: false, code: "gas-above-block-limit", have: 100_000_001n, want: 100_000_000n },
    ],
    [
      await send({ from: alice, nonce: 0, data: code(49_153), gas: 5_000_000n }),
      { ok: false, code: "initcode-too-large", have: 49_153n, want: 49_152n },
    ],
    [code(1_048_577), { ok: false, code: "oversized", have: 1_048_577n, want: 1_048_576n }],
  ];
  for (const [raw, expected] of cases) assert.deepEqual(await admitOne(raw), expected, raw.slice(0, 40));
  const fits = await admitOne(await send({ from: alice, nonce: 0, data: code(49_152), gas: 5_000_000n }));
  assert.equal(fits.ok, true);
});

test("a tip above the fee cap and an empty authorization list are refused", async () => {
  const raw = await alice.signTransaction({ ...base, ...FEES, type: "eip1559" });
  const fields = RLP.decode(hexToBytes(raw).subarray(1));
  assert.ok(Array.isArray(fields));
  fields[2] = hexToBytes("0x02540be401");
  const tipped = new Uint8Array([2, ...RLP.encode(fields)]);
  assert.deepEqual(await admitOne(bytesToHex(tipped)), {
    ok: false,
    code: "tip-above-fee-cap",
    have: 10_000_000_001n,
    want: 10_000_000_000n,
  });
  const empty = await alice.signTransaction({ ...base, ...FEES, type: "eip7702", authorizationList: [] });
  assert.deepEqual(await admitOne(empty), { ok: false, code: "empty-authorization-list" });
});

test("high s, impossible signatures and non-canonical bytes are refused", async () => {
  const raw = await alice.signTransaction({ ...base, ...FEES, type: "eip1559" });
  const { r, s, yParity, v: _v, ...unsigned } = parseTransaction(raw);
  assert.ok(r && s && yParity !== undefined);
  assert.ok(BigInt(s) <= HALF_ORDER);
  const high = `0x${(ORDER - BigInt(s)).toString(16)}` as const;
  const flipped = serializeTransaction(unsigned, { r, s: high, yParity: 1 - yParity });
  assert.deepEqual(await admitOne(flipped), { ok: false, code: "invalid-signature" });
  const zero = serializeTransaction(unsigned, { r: "0x00", s, yParity });
  assert.deepEqual(await admitOne(zero), { ok: false, code: "invalid-signature" });
  assert.deepEqual(await admitOne(`${raw}00`), { ok: false, code: "undecodable" });
  const fields = RLP.decode(hexToBytes(raw).subarray(1));
  assert.ok(Array.isArray(fields));
  fields[1] = new Uint8Array([0]);
  assert.deepEqual(await admitOne(bytesToHex(new Uint8Array([2, ...RLP.encode(fields)]))), {
    ok: false,
    code: "undecodable",
  });
});

test("unprotected transactions follow the genesis", async () => {
  const raw = await alice.signTransaction({
    type: "legacy",
    nonce: 0,
    to: bob.address,
    gas: 21_000n,
    gasPrice: 2_000_000_000n,
  });
  assert.equal((await admitOne(raw)).ok, true);
  const strict = await openTestChain({ genesis: genesisText({ allowUnprotectedTxs: false }) });
  try {
    assert.deepEqual(await strict.native.admit([hexToBytes(raw)]), [{ ok: false, code: "unprotected" }]);
    const outcome = await strict.execute([raw]);
    assert.equal(outcome.txs[0]?.included === false && outcome.txs[0].code, 2);
  } finally {
    await strict.close();
  }
});

test("a large group keeps its order, good and bad mixed", async () => {
  const raws = await Promise.all(
    Array.from({ length: 100 }, (_, nonce) =>
      nonce % 7 === 3
        ? Promise.resolve<Hex>("0x02c0")
        : transfer({ from: account(nonce % 3), nonce, to: bob.address, value: 1n }),
    ),
  );
  const outcomes = await chain.native.admit(raws.map((raw) => hexToBytes(raw)));
  assert.equal(outcomes.length, 100);
  for (const [nonce, outcome] of outcomes.entries()) {
    if (nonce % 7 === 3) assert.deepEqual(outcome, { ok: false, code: "undecodable" });
    else {
      assert.ok(outcome.ok);
      assert.equal(outcome.nonce, BigInt(nonce));
      assert.equal(outcome.sender, account(nonce % 3).address.toLowerCase());
    }
  }
  assert.deepEqual(await chain.native.admit([]), []);
});
