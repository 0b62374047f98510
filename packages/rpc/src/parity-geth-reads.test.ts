/** The same reads, and the same refusals, of this node and of geth on the same genesis. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Hex, pad, toHex } from "viem";
import { skipWithoutGeth } from "./testing/geth-node.ts";
import { contracts } from "./testing/parity-alloc.ts";
import { alice, bob, poor, withParityPeers } from "./testing/parity-peers.ts";

const from = alice.address;
const to = bob.address;
const GWEI_2 = "0x77359400";
const bytes = (byte: string, count: number): Hex => `0x${byte.repeat(count)}`;

describe("reads and refusals as geth's", { skip: skipWithoutGeth, timeout: 120_000 }, () => {
  const same = withParityPeers();

  it("positions and keys of storage, proofs", async () => {
    const full = pad("0x01");
    for (const key of [
      "0x0",
      "0",
      "0x",
      "",
      "0x1",
      "0x01",
      "1",
      full,
      full.slice(2),
      bytes("1", 66),
      "0xzz",
      "zz",
      "0x000",
    ]) {
      await same("eth_getStorageAt", contracts.refund, key, "latest");
      await same("eth_getProof", contracts.refund, [key], "latest").catch((error: Error) => {
        // The tries differ in an account that only one of the chains has: its nodes and nothing else.
        assert.match(error.message, /accountProof/);
      });
    }
    const keys = Array.from({ length: 1025 }, (_, index) => toHex(index));
    await same("eth_getProof", poor.address, keys, "latest");
    await same("eth_getProof", from, [], "0xff");
  });

  it("blocks by number, tag, hash and EIP-1898", async () => {
    const unknown = pad("0x12");
    const blocks = [
      ...["latest", "earliest", "pending", "safe", "finalized", "0x0", "0x1", "0xffffff", "0x00", "00", "1", "", "foo"],
      ...[
        null,
        {},
        { blockNumber: "0x0" },
        { blockNumber: "latest" },
        { blockHash: unknown },
        { requireCanonical: true },
      ],
      ...[{ blockHash: unknown, requireCanonical: true }, { blockHash: unknown, blockNumber: "0x0" }, unknown],
      ...["0x8000000000000000", "0x7fffffffffffffff", bytes("1", 63)],
    ];
    for (const block of blocks) {
      for (const method of ["eth_getBalance", "eth_getCode", "eth_getTransactionCount"])
        await same(method, from, block);
      await same("eth_call", { to: contracts.caller }, block);
      await same("eth_estimateGas", { from, to }, block);
      if (block !== null) await same("eth_getBlockReceipts", block);
    }
  });

  it("fee history: counts, ranges, percentiles", async () => {
    const many = Array.from({ length: 101 }, (_, index) => index / 10);
    for (const params of [
      ...[
        ["0x1", "latest", []],
        ["0x0", "latest", []],
        ["0x0", "0x5", []],
        [0, "latest", []],
        [1, "latest", [50]],
      ],
      ...[
        ["1", "latest", []],
        ["0x01", "latest", []],
        ["0x401", "latest", []],
        ["0xffffff", "latest", [1, 2]],
      ],
      ...[
        ["0x1", "0x5", []],
        ["0x1", "latest", [50, 40]],
        ["0x1", "latest", [50, 50]],
        ["0x1", "latest", [101]],
      ],
      ...[
        ["0x1", "latest", [-1]],
        ["0x1", "latest", many],
        ["0x1", "earliest", []],
        ["0x1", "safe", [10.5]],
      ],
      ...[["0x1"], [], [-1, "latest", []], [1.5, "latest", []]],
    ]) {
      await same("eth_feeHistory", ...params);
    }
  });

  it("logs: ranges, hashes, shapes", async () => {
    const topic = pad("0x07");
    const filters = [
      ...[
        {},
        { fromBlock: "0x0", toBlock: "0x0" },
        { fromBlock: "0x1", toBlock: "0x0" },
        { fromBlock: "0x0", toBlock: "0x5" },
      ],
      ...[{ fromBlock: "0x5", toBlock: "0x6" }, { fromBlock: "0x5" }, { fromBlock: "pending" }, { toBlock: "pending" }],
      ...[{ fromBlock: "safe", toBlock: "finalized" }, { fromBlock: "earliest" }, { blockHash: pad("0x12") }],
      ...[{ blockHash: pad("0x12"), fromBlock: "0x0" }, { blockHash: pad("0x12"), toBlock: "latest" }, { address: [] }],
      ...[{ topics: [] }, { topics: [null] }, { topics: [topic, [topic, null]] }, { topics: [[]] }],
      ...[{ topics: [topic, topic, topic, topic] }, { topics: [topic, topic, topic, topic, topic] }],
    ];
    for (const filter of filters) await same("eth_getLogs", filter);
  });

  it("transactions to fill in: what is refused, in the same words", async () => {
    const tx = {
      from,
      to,
      value: "0x1",
      gas: "0x5208",
      maxFeePerGas: GWEI_2,
      maxPriorityFeePerGas: "0x1",
      nonce: "0x0",
    };
    for (const refused of [
      ...[{ from }, {}, { ...tx, gasPrice: "0x1" }, { ...tx, maxFeePerGas: "0x0" }, { from, to, gasPrice: "0x0" }],
      ...[
        { ...tx, maxPriorityFeePerGas: "0x7735940000" },
        { ...tx, data: "0x12", input: "0x13" },
        { ...tx, chainId: "0x1" },
      ],
      ...[
        { from: poor.address, to, value: "0x1" },
        { from, to: contracts.reverts },
      ],
    ]) {
      await same("eth_fillTransaction", refused);
    }
    await same("eth_fillTransaction", tx);
    await same("eth_fillTransaction", { ...tx, data: "0x12", input: "0x12", gas: "0x7530" });
    await same("eth_fillTransaction", { from, to, gasPrice: GWEI_2, gas: "0x5208" });
  });

  it("raw transactions: what is refused, in the same words", async () => {
    for (const raw of ["0x", "0x12", "0x02", "0x7f"]) await same("eth_sendRawTransaction", raw);
    const base = { type: "eip1559", chainId: 358_587, nonce: 9, to, value: 1n, gas: 21_000n } as const;
    const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n };
    for (const change of [
      ...[{ gas: 20_999n }, { chainId: 1 }, { value: 10n ** 24n }, { gas: 100_000_001n }, { data: "0x1234" }],
      ...[
        { gas: 200_000_000n, maxFeePerGas: 20_000_000_000n },
        { data: bytes("ff", 1000), gas: 40_000n },
      ],
      { data: bytes("00", 49_153), to: undefined, gas: 5_000_000n },
    ] as const) {
      await same("eth_sendRawTransaction", await alice.signTransaction({ ...base, ...fees, ...change }));
    }
  });
});
