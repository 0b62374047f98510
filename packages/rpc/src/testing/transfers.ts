/** For tests: signed transfers into the pool of a live node. */
import assert from "node:assert/strict";
import type { Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import type { LiveNode } from "./live-node.ts";

const sender = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 6 });

/** Sends so many transfers of one wei to fresh accounts; their hashes. */
export async function sendTransfers(node: LiveNode, count: number): Promise<readonly Hex[]> {
  const hashes: Hex[] = [];
  for (let nonce = 0; nonce < count; nonce++) {
    const to: Hex = `0x${(0xfe00 + nonce).toString(16).padStart(40, "0")}`;
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const tx = { type: "eip1559", chainId: 358_587, nonce, to, value: 1n, gas: 21_000n, ...fees } as const;
    const { result, error } = await node.rpc("eth_sendRawTransaction", await sender.signTransaction(tx));
    assert.equal(error, undefined, error?.message);
    hashes.push(String(result) as Hex);
  }
  return hashes;
}
