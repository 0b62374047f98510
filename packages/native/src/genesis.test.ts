import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bytesToHex, hexToBytes, keccak256, toChecksumAddress } from "@cairn/primitives";
import { createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { addonPaths, loadAddon } from "./addon.ts";
import { NativeError } from "./error.ts";
import { openNative } from "./facade.ts";
import { account, CHAIN_ID, GENESIS_TIME, genesisText, openTestChain } from "./testing/test-chain.ts";

const EMPTY_CODE = keccak256(new Uint8Array());
const EMPTY_ROOT = hexToBytes("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");

function codeOf(error: unknown): string | undefined {
  return error instanceof NativeError ? error.code : undefined;
}

test("block 0 has the fields of the genesis and the hash of its RLP", async () => {
  const chain = await openTestChain();
  try {
    const head = chain.native.head();
    assert.equal(head.number, 0n);
    assert.equal(head.timestamp, GENESIS_TIME);
    assert.equal(head.gasLimit, 100_000_000n);
    assert.equal(head.baseFeePerGasWei, 1_000_000_000n);
    assert.equal(head.nextBaseFeePerGasWei, 875_000_000n);
    assert.equal(head.consensusHash, "0x");
    const rlp = chain.native.rawHeader(0n);
    assert.ok(rlp);
    assert.equal(bytesToHex(keccak256(rlp)), head.hash);
    const block = JSON.parse((await chain.native.blockJson(0n, true)) ?? "null");
    assert.equal(block.parentHash, `0x${"00".repeat(32)}`);
    assert.equal(block.parentBeaconBlockRoot, `0x${"00".repeat(32)}`);
    assert.equal(block.mixHash, bytesToHex(keccak256(new Uint8Array([1, ...new Uint8Array(32)]))));
    assert.equal(block.extraData, "0x");
    assert.equal(block.gasUsed, "0x0");
    assert.deepEqual(block.transactions, []);
    assert.equal(block.totalDifficulty, "0x0");
  } finally {
    await chain.close();
  }
});

test("the genesis state root is the Merkle-Patricia root of the alloc", async () => {
  const alloc = {
    [account(0).address]: { balance: "0x2710" },
    [account(1).address]: { balance: "10000", nonce: 3 },
    [account(2).address]: { balance: "0x0" },
  };
  const chain = await openTestChain({ genesis: genesisText({ alloc }) });
  try {
    const trie = await createMPT({ useKeyHashing: true });
    const row = (nonce: number) => RLP.encode([nonce, 10_000, EMPTY_ROOT, EMPTY_CODE]);
    await trie.put(hexToBytes(account(0).address), row(0));
    await trie.put(hexToBytes(account(1).address), row(3));
    assert.equal(chain.native.head().stateRoot, bytesToHex(trie.root()));
  } finally {
    await chain.close();
  }
});

test("the same genesis opens again, another one is a mismatch", async () => {
  const chain = await openTestChain();
  const again = await chain.reopen();
  try {
    assert.equal(again.native.head().number, 0n);
    await again.native.close();
    const other = genesisText({ gasLimit: 50_000_000 });
    await assert.rejects(openNative({ dir: chain.dir, genesis: other }), (e) => codeOf(e) === "genesis-mismatch");
  } finally {
    rmSync(chain.dir, { recursive: true, force: true });
  }
});

test("a bad genesis, a second open and a closed handle have their codes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-native-"));
  for (const genesis of [
    "",
    "{}",
    '{"chainId":"x"}',
    genesisText({ chainId: 0 }),
    genesisText({ alloc: { "0x1": {} } }),
  ]) {
    await assert.rejects(openNative({ dir, genesis }), (e) => codeOf(e) === "invalid-genesis");
  }
  rmSync(dir, { recursive: true, force: true });
  const chain = await openTestChain();
  await assert.rejects(openNative({ dir: chain.dir, genesis: chain.genesis }), (e) => codeOf(e) === "locked");
  await chain.close();
  assert.throws(
    () => chain.native.head(),
    (e) => codeOf(e) === "closed",
  );
  await assert.rejects(chain.native.admit([new Uint8Array([1])]), (e) => codeOf(e) === "closed");
});

test("closing waits for work in flight", async () => {
  const chain = await openTestChain();
  const reads = Array.from({ length: 20 }, () => chain.native.blockJson(0n, true));
  const closed = chain.native.close();
  for (const read of await Promise.all(reads)) assert.ok(read);
  await closed;
  const again = await openTestChain({ dir: chain.dir });
  await again.close();
});

test("a missing addon is a typed error", () => {
  assert.deepEqual(addonPaths({ CAIRN_NATIVE_ADDON: "/nowhere/x.node" }), ["/nowhere/x.node"]);
  assert.throws(
    () => loadAddon({ CAIRN_NATIVE_ADDON: "/nowhere/x.node" }),
    (e) => codeOf(e) === "addon-missing",
  );
  const here = new URL(import.meta.url).pathname;
  assert.throws(
    () => loadAddon({ CAIRN_NATIVE_ADDON: here }),
    (e) => codeOf(e) === "addon-missing",
  );
});

test("heights and hashes beyond the chain are unknown everywhere", async () => {
  const chain = await openTestChain();
  const { native } = chain;
  try {
    for (const block of [1n, 2n ** 70n, `0x${"ab".repeat(32)}`] as const) {
      assert.equal(native.account(account(0).address, block), undefined);
      assert.equal(native.code(account(0).address, block), undefined);
      assert.equal(native.storage(account(0).address, new Uint8Array(32), block), undefined);
      assert.equal(native.headerJson(block), null);
      assert.equal(await native.blockJson(block, false), null);
      assert.equal(await native.proofJson(account(0).address, [], block), null);
      assert.equal(native.transactionByIndexJson(block, 0), null);
      assert.equal(native.transactionCount(block), null);
      assert.equal(await native.blockReceiptsJson(block), null);
      assert.equal(native.rawHeader(block), null);
      assert.equal(await native.rawBlock(block), null);
      assert.equal(await native.rawReceipts(block), null);
      assert.deepEqual(await native.call({ block }), { ok: false, code: "unknown-block" });
      assert.deepEqual(await native.estimateGas({ block }), { ok: false, code: "unknown-block" });
    }
    const unknown = `0x${"cd".repeat(32)}` as const;
    assert.equal(native.blockNumber(unknown), undefined);
    assert.equal(native.transactionJson(unknown), null);
    assert.equal(native.receiptJson(unknown), null);
    assert.equal(native.rawTransaction(unknown), null);
    assert.equal(native.blockNumber(native.head().hash), 0n);
    const checksummed = toChecksumAddress("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    assert.equal(native.account(checksummed, native.head().hash)?.balanceWei, 10_000n * 10n ** 18n);
    assert.equal(CHAIN_ID, 358587);
  } finally {
    await chain.close();
  }
});
