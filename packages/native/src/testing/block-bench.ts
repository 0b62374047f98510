/**
 * Measures admission, proposal, execution and commit of blocks of transfers over 100,000 accounts.
 * `node --conditions=cairn-source block-bench.ts [TRANSFERS] [BLOCKS]`; prints minimum/median/maximum in ms.
 */
import type { Address } from "@cairn/primitives";
import { hexToBytes } from "@cairn/primitives";
import { privateKeyToAccount } from "viem/accounts";
import { consensusHash, genesisText, MINER, openTestChain, transfer } from "./test-chain.ts";

const transfers = Number(process.argv[2] ?? 5000);
const blocks = Number(process.argv[3] ?? 6);
const ACCOUNTS = 100_000;

const senders = Array.from({ length: 200 }, (_, index) =>
  privateKeyToAccount(`0x${(index + 1).toString(16).padStart(64, "0")}`),
);
const recipient = (index: number): Address => `0x${(0x1000000 + (index % ACCOUNTS)).toString(16).padStart(40, "e")}`;
const alloc: Record<string, { balance: string }> = {};
for (const sender of senders) alloc[sender.address] = { balance: "0x21e19e0c9bab2400000" };
for (let index = 0; index < ACCOUNTS; index++) alloc[recipient(index)] = { balance: "0x1" };

const timings: Record<string, number[]> = {};
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  timings[name] = [...(timings[name] ?? []), performance.now() - start];
  return result;
}

async function signed(block: number): Promise<Uint8Array[]> {
  const txs: Uint8Array[] = [];
  for (let index = 0; index < transfers; index++) {
    const count = block * transfers + index;
    const from = senders[count % senders.length];
    if (from === undefined) throw new Error("no sender");
    const nonce = Math.floor(count / senders.length);
    txs.push(hexToBytes(await transfer({ from, nonce, to: recipient(count * 7919), value: 1n, tip: 1n })));
  }
  return txs;
}

const chain = await openTestChain({ genesis: genesisText({ alloc, gasLimit: 1_000_000_000 }) });
const { native } = chain;
for (let block = 0; block < blocks; block++) {
  const txs = await signed(block);
  const head = native.head();
  const request = { height: head.number + 1n, timestamp: head.timestamp + 1n, miner: MINER, txs };
  await timed("admit", () => native.admit(txs));
  await timed("propose", () => native.propose(request));
  const executed = { ...request, consensusHash: consensusHash(request.height) };
  const outcome = await timed("execute after propose (seal)", () => native.execute(executed));
  if (outcome.txs.some((tx) => !tx.included)) throw new Error("a transfer was skipped");
  await timed("execute again", () => native.execute(executed));
  await timed("execute anew", () => native.execute({ ...executed, timestamp: executed.timestamp + 1n }));
  await timed("commit", () => native.commit());
  await timed("block JSON", () => native.blockJson(request.height, true));
}
await chain.close();
for (const [name, values] of Object.entries(timings)) {
  values.sort((a, b) => a - b);
  const [low = 0, middle = 0, high = 0] = [values[0], values[values.length >> 1], values.at(-1)];
  console.log(
    `${name.padEnd(30)} ${low.toFixed(1).padStart(8)} ${middle.toFixed(1).padStart(8)} ${high.toFixed(1).padStart(8)}`,
  );
}
