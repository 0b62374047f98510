/** A regtest in a directory of its own, with a funded wallet, for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnchorWallet, type BitcoinRpc, type Coin, createAnchorWallet, createBitcoinRpc } from "../index.ts";
import { createRegtest } from "../regtest/regtest.ts";
import type { Log, Regtest } from "../types.ts";

/** Drops everything. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A wallet over a fixed key. */
export function testWallet(): AnchorWallet {
  return createAnchorWallet({ privateKey: new Uint8Array(32).fill(7), network: "regtest" });
}

/** Runs `use` with a node that mines only when asked; cleans up afterwards. */
export async function withRegtest(
  use: (o: { node: Regtest; rpc: BitcoinRpc; dir: string }) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
  const node = await openRegtest(dir);
  try {
    await use({ node, rpc: createBitcoinRpc({ url: node.url }), dir });
  } finally {
    await node.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Opens the node of a directory. */
export function openRegtest(dir: string, blockIntervalMs = 0): Promise<Regtest> {
  return createRegtest({ dir, blockIntervalMs, user: "user", password: "pass:w@rd", log: SILENT });
}

/** A confirmed coin of the test wallet. */
export async function fundedCoin(node: Regtest, valueSat = 1_000_000n): Promise<Coin> {
  const coin = await node.fundAddress(testWallet().address, valueSat);
  await node.mine(1);
  return coin;
}
