/** Bytes of a block made of `eth_` answers: against what the node itself encodes, and against a node that lies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeVaultCall, InclusionVault } from "@cairn/contracts";
import { initNodeHome, startNode } from "@cairn/node";
import { bytesToHex, headerHash, hexToBytes, rlpDecode } from "@cairn/primitives";
import { settlerAddress } from "../index.ts";
import { atEnd, temporaryHome, testLog, until } from "../testing/fixture.ts";
import { KEYS } from "../testing/node-fixture.ts";
import { createTransactionSigner } from "../transaction-signer.ts";
import { readBlockParts } from "./block-parts.ts";
import { createRpcCall, EndpointError, type RpcCall } from "./json-rpc-client.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };

test("a block's bytes are those that the node encodes; answers that are no block are refused", async (t) => {
  const home = temporaryHome(t);
  const address = settlerAddress(KEYS.settlerKey);
  await initNodeHome({ home, balances: { [address]: 10n ** 24n } });
  const node = await startNode({
    ...{ home, blockIntervalMs: 200, consensusRpc: LOOPBACK, log: testLog },
    jsonRpc: { http: LOOPBACK, ws: LOOPBACK, namespaces: ["eth", "debug"] },
  });
  atEnd(t, () => node.close());
  const call = createRpcCall({ url: node.jsonRpcUrl, timeoutMs: 10_000, signal: new AbortController().signal });
  const height = await deposit(call, 3);
  const parts = await readBlockParts(call, height);
  assert.equal(bytesToHex(parts.header), await call("debug_getRawHeader", [height]));
  assert.deepEqual(parts.receipts.map(bytesToHex), await call("debug_getRawReceipts", [height]));
  const block = rlpDecode(hexToBytes(String(await call("debug_getRawBlock", [height]))));
  assert.deepEqual(parts.transactions, block instanceof Uint8Array ? [] : block[1]);
  assert.ok(parts.transactions.length >= 1);
  const answered = (await call("eth_getBlockByNumber", [height, false])) as { readonly hash: string };
  assert.equal(headerHash(parts.header), answered.hash);
  const lies: Readonly<Record<string, unknown>> = {
    eth_getBlockByNumber: { ...answered, gasUsed: "0x1" },
    eth_getBlockReceipts: [],
    eth_getRawTransactionByBlockNumberAndIndex: null,
  };
  for (const [name, lie] of Object.entries(lies)) {
    const lying: RpcCall = async (method, params) => (method === name ? lie : call(method, params));
    await assert.rejects(readBlockParts(lying, height), EndpointError, name);
  }
});

/** Sends deposits into the vault; the height of the block with the last one. */
async function deposit(call: RpcCall, count: number): Promise<string> {
  const signer = createTransactionSigner(KEYS.settlerKey);
  let hash = "";
  for (let nonce = 0n; nonce < count; nonce += 1n) {
    const { raw } = signer.sign({
      ...{ chainId: 358587n, nonce, gasLimit: 200_000n, to: InclusionVault.address, valueWei: 5n },
      ...{
        maxPriorityFeePerGasWei: 10n ** 9n,
        maxFeePerGasWei: 10n ** 12n,
        data: encodeVaultCall({ name: "deposit" }),
      },
    });
    hash = String(await call("eth_sendRawTransaction", [bytesToHex(raw)]));
  }
  return until("the deposits are in a block", async () => {
    const receipt = (await call("eth_getTransactionReceipt", [hash])) as { readonly blockNumber: string } | null;
    return receipt?.blockNumber;
  });
}
