/** Owns `eth_sendRawTransactionSync`: submits, then waits for the receipt, woken by blocks. */
import { rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { sendRaw } from "./eth-send.ts";
import type { RpcSettings } from "./options.ts";

const DEFAULT_MS = 20_000;
const MOST_MS = 60_000;

function shown(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}

/** JSON text of the receipt. Throws `RpcError` 4 with the hash when no block took it in time. */
export async function sendRawSync(
  chain: Chain,
  settings: RpcSettings,
  raw: Uint8Array,
  timeoutMs: bigint | undefined,
): Promise<string> {
  const asked = timeoutMs === undefined || timeoutMs === 0n ? DEFAULT_MS : Number(timeoutMs);
  const limitMs = Math.min(asked, MOST_MS);
  const hash = await sendRaw(chain, settings, raw);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = (): void => {
    const receipt = chain.reads.receiptJson(hash);
    if (receipt !== null) resolve(receipt);
  };
  const stop = chain.onHead(look);
  const timer = setTimeout(() => {
    reject(rpcError("not-in-time", { time: shown(limitMs) }, JSON.stringify(hash)));
  }, limitMs);
  look();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
