/** What stands between a proposal and a commit: what is kept, what is made anew, what is misuse. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { checkBlock } from "./testing/check-block.ts";
import {
  account,
  CRN,
  consensusHash,
  genesisText,
  MINER,
  openTestChain,
  type TestChain,
  transfer,
} from "./testing/test-chain.ts";

const [alice, bob] = [account(0), account(1)];

let chain: TestChain;
before(async () => {
  chain = await openTestChain();
});
after(() => chain.close());

test("a proposal of executable transactions is reused, another consensus hash only seals anew", async () => {
  const native = chain.native;
  const height = native.head().number + 1n;
  const txs = [hexToBytes(await transfer({ from: alice, nonce: 0, to: bob.address, value: 1n }))];
  const request = { height, timestamp: native.head().timestamp + 3n, miner: MINER, txs };
  assert.deepEqual(await native.propose(request), [0]);
  const one = await native.execute({ ...request, consensusHash: consensusHash(1n) });
  const two = await native.execute({ ...request, consensusHash: consensusHash(2n) });
  const again = await native.execute({ ...request, consensusHash: consensusHash(1n) });
  assert.notEqual(one.hash, two.hash);
  assert.equal(one.hash, again.hash);
  const later = await native.execute({
    ...request,
    timestamp: request.timestamp + 1n,
    consensusHash: consensusHash(1n),
  });
  assert.notEqual(later.hash, one.hash);
  const committed = await native.commit();
  assert.equal(committed.head.hash, later.hash);
  assert.equal(committed.head.timestamp, request.timestamp + 1n);
  await checkBlock(native, height);
});

test("the state root after transfers is the root over all accounts", async () => {
  const alloc = { [alice.address]: { balance: `0x${CRN.toString(16)}` } };
  const small = await openTestChain({ genesis: genesisText({ alloc }) });
  try {
    const txs = await Promise.all(
      [0, 1, 2].map((nonce) => transfer({ from: alice, nonce, to: account(nonce + 1).address, value: 7n })),
    );
    const { commit } = await small.mine(txs);
    const trie = await createMPT({ useKeyHashing: true });
    const emptyRoot = hexToBytes("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
    for (const address of [MINER, ...[0, 1, 2, 3].map((index) => account(index).address)]) {
      const found = small.native.account(address, 1n);
      assert.ok(found);
      await trie.put(
        hexToBytes(address),
        RLP.encode([found.nonce, found.balanceWei, emptyRoot, hexToBytes(found.codeHash)]),
      );
    }
    assert.equal(commit.head.stateRoot, bytesToHex(trie.root()));
  } finally {
    await small.close();
  }
});

test("wrong heights and a commit of nothing are misuse", async () => {
  const native = chain.native;
  const request = { timestamp: native.head().timestamp, miner: MINER, txs: [], consensusHash: consensusHash(0n) };
  const height = native.head().number;
  await assert.rejects(native.execute({ ...request, height }), { code: "state" });
  await assert.rejects(native.execute({ ...request, height: height + 2n }), { code: "state" });
  await assert.rejects(native.commit(), { code: "state" });
  await native.propose({ ...request, height: height + 1n });
  await assert.rejects(native.commit(), { code: "state" });
});
