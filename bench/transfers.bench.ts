/** Transfers included per second: signed beforehand, sent over JSON-RPC, until all are in blocks. */
import { createPublicClient, http, type LocalAccount, parseGwei } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import type { Ready } from "../packages/cli/src/sandbox/ready.ts";
import { until } from "../test/e2e/until.ts";
import { load, round } from "./load.ts";

const SENDERS = 10;
/** Batches overtake each other: what is under way may not leave a sender with more gapped nonces than its queue holds. */
const BATCH_CONNECTIONS = 4;
const TO = "0x000000000000000000000000000000000000dEaD";

/** Sends `count` transfers, singly or `batch` to a request. */
export async function transfers(ready: Ready, count: number, batch: number): Promise<object> {
  const reader = createPublicClient({ transport: http(ready.json_rpc_url) });
  const accounts = Array.from({ length: SENDERS }, (_, addressIndex) =>
    mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex }),
  );
  const raws = await signAll(ready, accounts, count);
  const bodies: string[] = [];
  for (let i = 0; i < raws.length; i += batch) bodies.push(requestBody(raws.slice(i, i + batch)));
  const before = await included(reader, accounts);
  const started = performance.now();
  const sent = await load({
    url: ready.json_rpc_url,
    connections: batch === 1 ? 16 : BATCH_CONNECTIONS,
    body: (i) => bodies[i],
    accept: (status, body) => status === 200 && !body.includes('"error"'),
    maxSeconds: 120,
  });
  await until("all are included", async () => (await included(reader, accounts)) - before >= count, 120_000);
  const seconds = (performance.now() - started) / 1000;
  return {
    transfers: count,
    batch,
    accept: sent,
    included_per_second: Math.round(count / seconds),
    seconds: round(seconds),
  };
}

async function signAll(ready: Ready, accounts: readonly LocalAccount[], count: number): Promise<readonly string[]> {
  const reader = createPublicClient({ transport: http(ready.json_rpc_url) });
  const nonces = await Promise.all(accounts.map(({ address }) => reader.getTransactionCount({ address })));
  const raws: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const account = accounts[i % accounts.length];
    const nonce = (nonces[i % accounts.length] ?? 0) + Math.floor(i / accounts.length);
    if (account?.signTransaction === undefined) throw new Error("no account");
    const fees = { maxFeePerGas: parseGwei("100"), maxPriorityFeePerGas: parseGwei("1") };
    raws.push(
      await account.signTransaction({
        type: "eip1559",
        chainId: ready.evm_chain_id,
        nonce,
        to: TO,
        value: 1n,
        gas: 21_000n,
        ...fees,
      }),
    );
  }
  return raws;
}

function requestBody(raws: readonly string[]): string {
  const calls = raws.map((raw, id) => ({ jsonrpc: "2.0", id, method: "eth_sendRawTransaction", params: [raw] }));
  return JSON.stringify(calls.length === 1 ? calls[0] : calls);
}

async function included(
  reader: ReturnType<typeof createPublicClient>,
  accounts: readonly LocalAccount[],
): Promise<number> {
  const counts = await Promise.all(accounts.map(({ address }) => reader.getTransactionCount({ address })));
  return counts.reduce((sum, count) => sum + count, 0);
}
