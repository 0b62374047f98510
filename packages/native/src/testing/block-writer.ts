/** Mines one transfer per block until it is killed; prints `height hash` after each commit. */
import { account, openTestChain, transfer } from "./test-chain.ts";

const dir = process.argv[2];
if (dir === undefined) throw new Error("usage: block-writer DIR");
const chain = await openTestChain({ dir });
for (let nonce = 0; nonce < 10_000; nonce++) {
  const tx = await transfer({ from: account(0), nonce, to: account(1).address, value: 1n });
  const { commit } = await chain.mine([tx]);
  process.stdout.write(`${commit.head.number} ${commit.head.hash}\n`);
}
