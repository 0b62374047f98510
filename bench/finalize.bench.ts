/**
 * A block of N transfers through the real ABCI application and the real store, without an engine: admission first, as
 * in a running node, then PrepareProposal, ProcessProposal, FinalizeBlock and Commit timed apart.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildGenesis, createChain } from "@cairn/chain";
import { openNative } from "@cairn/native";
import { type Address, hexToBytes } from "@cairn/primitives";
import { type LocalAccount, parseGwei } from "viem";
import { generatePrivateKey, mnemonicToAccount } from "viem/accounts";
import { round } from "./load.ts";

const SENDERS = 100;
const CHAIN_ID = 358_587n;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const PROPOSER = new Uint8Array(20).fill(7);

interface Options {
  readonly transfers: number;
  readonly blocks: number;
}

/** Medians over the blocks, in ms. */
export async function finalize({ transfers, blocks }: Options): Promise<object> {
  const dir = mkdtempSync(join(tmpdir(), "cairn-bench-"));
  const accounts = Array.from({ length: SENDERS }, (_, addressIndex) =>
    mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex }),
  );
  const balances = Object.fromEntries(accounts.map(({ address }) => [address.toLowerCase() as Address, 10n ** 24n]));
  const owner: Address = "0x0000000000000000000000000000000000000001";
  const genesis = buildGenesis({
    timestampSeconds: 1_700_000_000n,
    gasLimit: 1_000_000_000n,
    owner,
    validators: [],
    balances,
  });
  const native = await openNative({ dir, genesis: JSON.stringify(genesis) });
  const poolLimits = {
    accountSlots: 1_000_000,
    globalSlots: 1_000_000,
    accountQueue: 1_000_000,
    globalQueue: 1_000_000,
  };
  const chain = createChain({ native, genesis, log: SILENT, poolLimits });
  const rows: Timing[] = [];
  for (let i = 0; i < blocks; i += 1) {
    const raws = await sign(accounts, i * (transfers / SENDERS), transfers / SENDERS);
    rows.push(await oneBlock(chain, raws, BigInt(i + 1)));
  }
  await chain.close();
  await native.close();
  rmSync(dir, { recursive: true, force: true });
  return { transfers, blocks, ...medians(rows) };
}

interface Timing {
  readonly admitMs: number;
  readonly prepareMs: number;
  readonly processMs: number;
  readonly finalizeMs: number;
  readonly commitMs: number;
  /** What the engine waits for when the proposal was processed before: FinalizeBlock and Commit. */
  readonly finalizeAndCommitMs: number;
  /** With the execution that ProcessProposal did ahead. */
  readonly wholeMs: number;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const started = performance.now();
  const value = await work();
  return [value, performance.now() - started];
}

async function oneBlock(
  chain: ReturnType<typeof createChain>,
  raws: readonly Uint8Array[],
  height: bigint,
): Promise<Timing> {
  const [admitted, admitMs] = await timed(() => Promise.all(raws.map((raw) => chain.submit(raw))));
  if (!admitted.every((outcome) => outcome.ok))
    throw new Error(`refused: ${JSON.stringify(admitted.find((o) => !o.ok))}`);
  const time = { seconds: 1_700_000_000n + height, nanos: 0 };
  const common = { misbehavior: [], height, time, nextValidatorsHash: new Uint8Array(32), proposerAddress: PROPOSER };
  const commit = { round: 0, votes: [] };
  const [proposal, prepareMs] = await timed(() =>
    chain.app.prepareProposal({ ...common, maxTxBytes: 20_000_000n, txs: [], localLastCommit: commit }),
  );
  if (proposal.txs.length !== raws.length) throw new Error(`proposed ${proposal.txs.length} of ${raws.length}`);
  const hash = createHash("sha256").update(String(height)).digest();
  const block = { ...common, txs: proposal.txs, hash };
  const [, processMs] = await timed(() => chain.app.processProposal({ ...block, proposedLastCommit: commit }));
  const [, finalizeMs] = await timed(() => chain.app.finalizeBlock({ ...block, decidedLastCommit: commit }));
  const [, commitMs] = await timed(() => chain.app.commit());
  const finalizeAndCommitMs = finalizeMs + commitMs;
  return {
    admitMs,
    prepareMs,
    processMs,
    finalizeMs,
    commitMs,
    finalizeAndCommitMs,
    wholeMs: processMs + finalizeAndCommitMs,
  };
}

async function sign(
  accounts: readonly LocalAccount[],
  firstNonce: number,
  each: number,
): Promise<readonly Uint8Array[]> {
  const raws: Uint8Array[] = [];
  for (const account of accounts) {
    for (let i = 0; i < each; i += 1) {
      const raw = await account.signTransaction?.({
        type: "eip1559",
        chainId: Number(CHAIN_ID),
        nonce: firstNonce + i,
        to: freshAddress(),
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: parseGwei("100"),
        maxPriorityFeePerGas: parseGwei("1"),
      });
      if (raw === undefined) throw new Error("the account cannot sign");
      raws.push(hexToBytes(raw));
    }
  }
  return raws;
}

/** Recipients that did not exist before: the worst case for the trie. */
function freshAddress(): Address {
  return `0x${generatePrivateKey().slice(2, 42)}`;
}

function medians(rows: readonly Timing[]): Timing {
  const median = (key: keyof Timing) => {
    const sorted = rows.map((row) => row[key]).sort((a, b) => a - b);
    return round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  };
  return {
    admitMs: median("admitMs"),
    prepareMs: median("prepareMs"),
    processMs: median("processMs"),
    finalizeMs: median("finalizeMs"),
    commitMs: median("commitMs"),
    finalizeAndCommitMs: median("finalizeAndCommitMs"),
    wholeMs: median("wholeMs"),
  };
}
