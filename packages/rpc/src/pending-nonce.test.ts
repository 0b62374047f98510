import assert from "node:assert/strict";
import { test } from "node:test";
import { mnemonicToAccount } from "viem/accounts";
import { startLiveNode } from "./testing/live-node.ts";

const frank = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 6 });

test("a batch that sends and then asks for the pending nonce counts what it sent, like one call after the other", async (t) => {
  const node = await startLiveNode({ automine: false });
  t.after(() => node.close());
  const raws = await Promise.all(
    Array.from({ length: 40 }, (_, nonce) =>
      frank.signTransaction({
        ...{ type: "eip1559", chainId: 358_587, nonce, to: frank.address, gas: 21_000n },
        ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n },
      }),
    ),
  );
  const calls = raws.flatMap((raw, index) => [
    { jsonrpc: "2.0", id: `send ${index}`, method: "eth_sendRawTransaction", params: [raw] },
    { jsonrpc: "2.0", id: index, method: "eth_getTransactionCount", params: [frank.address, "pending"] },
  ]);
  const headers = { "content-type": "application/json" };
  const response = await fetch(node.url, { method: "POST", headers, body: JSON.stringify(calls) });
  const replies = (await response.json()) as { id: number | string; result: string }[];
  for (const { id, result } of replies) {
    if (typeof id === "number") assert.ok(Number(result) > id, `${result} counts transaction ${id}`);
  }
  assert.equal(replies.at(-1)?.result, "0x28");
});
