/** The vault's errors in words, as a real node reports them in an estimate: through `Vault.send`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeErrorResult, parseAbi } from "viem";
import { createVault, NodeRefused, type VaultSigner } from "./index.ts";

const ABI = parseAbi([
  "error AboveBalance(uint256 balance, uint256 amount)",
  "error NothingRequested()",
  "error TooEarly(uint64 availableAt)",
  "error Unknown(uint256)",
]);
const signer: VaultSigner = { address: `0x${"11".repeat(20)}`, sign: () => assert.fail("nothing is signed") };

function refusing(data: string) {
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const { method } = JSON.parse(String(init?.body)) as { readonly method: string };
    const error = { code: 3, message: "execution reverted", data };
    const result = method === "eth_getBlockByNumber" ? { baseFeePerGas: "0x7" } : "0x1";
    return Response.json({ jsonrpc: "2.0", id: 1, ...(method === "eth_estimateGas" ? { error } : { result }) });
  };
  return createVault({ rpcUrl: "http://node.example", fetch }).send(signer, { name: "withdraw" });
}

for (const [data, said] of [
  [
    encodeErrorResult({ abi: ABI, errorName: "AboveBalance", args: [3n, 9n] }),
    "the vault refuses: the vault holds 3 wei, less than 9",
  ],
  [
    encodeErrorResult({ abi: ABI, errorName: "NothingRequested" }),
    "the vault refuses: nothing was asked back: request a withdrawal first",
  ],
  [
    encodeErrorResult({ abi: ABI, errorName: "TooEarly", args: [1_795_268_511n] }),
    "the vault refuses: what was asked back can be taken from 2026-11-21T13:41:51.000Z",
  ],
  [encodeErrorResult({ abi: ABI, errorName: "Unknown", args: [1n] }), "eth_estimateGas: execution reverted"],
  ["0x", "eth_estimateGas: execution reverted"],
] as const) {
  test(said, async () => {
    await assert.rejects(refusing(data), (error) => error instanceof NodeRefused && error.message === said);
  });
}
