/** A chain on a temporary directory with the real addon, and accounts that sign for it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address, Hex } from "@cairn/primitives";
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { CommitOutcome, ExecuteOutcome } from "../boundary/block.ts";
import type { Native } from "../boundary/native.ts";
import { openNative } from "../facade.ts";

/** EVM chain id of every test chain. */
export const CHAIN_ID = 358587;

/** Receives the priority fees of every test block. */
export const MINER: Address = "0x00000000000000000000000000000000000000aa";

/** Seconds of block 0. */
export const GENESIS_TIME = 1_700_000_000n;

/** Wei of one coin. */
export const CRN = 10n ** 18n;

/** The contract of EIP-4788. */
export const BEACON_ROOTS: Address = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02";

/** The contract of EIP-2935. */
export const HISTORY: Address = "0x0000f90827f1c53a10cb7a02335b175320002935";

const BEACON_ROOTS_CODE =
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500";
const HISTORY_CODE =
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500";

/** The accounts of the well-known test mnemonic. */
export function account(index: number): PrivateKeyAccount {
  const mnemonic = "test test test test test test test test test test test junk";
  const key = mnemonicToAccount(mnemonic, { addressIndex: index }).getHdKey().privateKey;
  if (key === null) throw new Error("no private key");
  return privateKeyToAccount(bytesToHex(key));
}

/** JSON text of a genesis that funds the first five accounts with 10,000 CRN each. */
export function genesisText(overrides: Record<string, unknown> = {}): string {
  const alloc: Record<string, object> = {
    [BEACON_ROOTS]: { code: BEACON_ROOTS_CODE, nonce: 1 },
    [HISTORY]: { code: HISTORY_CODE, nonce: 1 },
  };
  for (let index = 0; index < 5; index++) {
    alloc[account(index).address] = { balance: `0x${(10_000n * CRN).toString(16)}` };
  }
  return JSON.stringify({
    chainId: CHAIN_ID,
    timestamp: Number(GENESIS_TIME),
    gasLimit: 100_000_000,
    baseFeePerGas: "0x3b9aca00",
    minBaseFee: "0x0",
    allowUnprotectedTxs: true,
    alloc,
    ...overrides,
  });
}

/** The consensus hash tests give the block of a height. */
export function consensusHash(height: bigint): Uint8Array {
  const hash = new Uint8Array(32).fill(0xc0);
  new DataView(hash.buffer).setBigUint64(24, height);
  return hash;
}

/** An open chain and its directory. */
export interface TestChain {
  readonly native: Native;
  readonly dir: string;
  readonly genesis: string;
  /** Executes the next block. */
  execute(txs: readonly Hex[], timestamp?: bigint): Promise<ExecuteOutcome>;
  /** Executes the next block, expects every transaction to be included, and commits. */
  mine(txs: readonly Hex[], timestamp?: bigint): Promise<{ block: ExecuteOutcome; commit: CommitOutcome }>;
  /** Closes and opens the same directory again. */
  reopen(): Promise<TestChain>;
  close(): Promise<void>;
}

/** Opens a chain; without `dir` on a new temporary directory, which `close` removes. */
export async function openTestChain(o: { genesis?: string; dir?: string } = {}): Promise<TestChain> {
  const genesis = o.genesis ?? genesisText();
  const dir = o.dir ?? mkdtempSync(join(tmpdir(), "cairn-native-"));
  const native = await openNative({ dir, genesis, cacheBytes: 16 << 20 });
  const execute = (txs: readonly Hex[], timestamp?: bigint) => {
    const head = native.head();
    const height = head.number + 1n;
    return native.execute({
      height,
      timestamp: timestamp ?? head.timestamp + 1n,
      miner: MINER,
      txs: txs.map((tx) => hexToBytes(tx)),
      consensusHash: consensusHash(height),
    });
  };
  return {
    native,
    dir,
    genesis,
    execute,
    async mine(txs, timestamp) {
      const block = await execute(txs, timestamp);
      const skipped = block.txs.find((tx) => !tx.included);
      if (skipped !== undefined) throw new Error(`skipped: ${JSON.stringify(skipped)}`);
      return { block, commit: await native.commit() };
    },
    async reopen() {
      await native.close();
      return openTestChain({ genesis, dir });
    },
    async close() {
      await native.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Signs a dynamic-fee transfer. */
export function transfer(o: {
  from: PrivateKeyAccount;
  nonce: number;
  to: Address;
  value: bigint;
  tip?: bigint;
}): Promise<Hex> {
  return o.from.signTransaction({
    type: "eip1559",
    chainId: CHAIN_ID,
    nonce: o.nonce,
    to: o.to,
    value: o.value,
    gas: 21_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: o.tip ?? 1_000_000_000n,
  });
}

/** Signs a dynamic-fee call or, without `to`, a creation. */
export function send(o: {
  from: PrivateKeyAccount;
  nonce: number;
  to?: Address;
  data: Hex;
  value?: bigint;
  gas?: bigint;
}): Promise<Hex> {
  return o.from.signTransaction({
    type: "eip1559",
    chainId: CHAIN_ID,
    nonce: o.nonce,
    ...(o.to === undefined ? {} : { to: o.to }),
    data: o.data,
    value: o.value ?? 0n,
    gas: o.gas ?? 2_000_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
}
