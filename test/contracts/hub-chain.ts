/** A real chain with the predeploys, and senders that call them. For tests of the contracts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { predeployAlloc } from "@cairn/contracts";
import { type ExecutedTx, type Native, openNative } from "@cairn/native";
import { bytesToHex, type Hex, hexToBytes } from "@cairn/primitives";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

export const CHAIN_ID = 358587;
const MINER: Hex = "0x00000000000000000000000000000000000000aa";
const GAS = 90_000_000n;

/** An account of tests; funded on every chain here. */
export function sender(index: number): PrivateKeyAccount {
  return privateKeyToAccount(`0x${(index + 1).toString(16).padStart(64, "0")}`);
}

/** A log as the chain's JSON has it. */
export interface LogText {
  readonly address: Hex;
  readonly topics: Hex[];
  readonly data: Hex;
}

/** One transaction's outcome. */
export interface Sent {
  readonly tx: ExecutedTx;
  readonly logs: readonly LogText[];
}

export interface HubChain {
  readonly native: Native;
  /** Mines one block with one call; without `to` the data make a contract. */
  send(from: PrivateKeyAccount, to: Hex | undefined, data: Hex, valueWei?: bigint): Promise<Sent>;
  /** The next block comes this much later. */
  advance(seconds: bigint): void;
  balance(address: Hex): bigint;
  /** `eth_call` on the head: its data, or the revert data. */
  call(from: { readonly address: Hex }, to: Hex, data: Hex): Promise<{ ok: boolean; data: Hex }>;
  close(): Promise<void>;
}

/** Opens a chain on a temporary directory; sender 0 owns the registry. */
export async function openHubChain(
  validators: Alloc["validators"],
  withdrawalDelaySeconds?: bigint,
): Promise<HubChain> {
  const dir = mkdtempSync(join(tmpdir(), "cairn-contracts-"));
  const native = await openNative({ dir, genesis: genesis(validators, withdrawalDelaySeconds) });
  const nonces = new Map<Hex, number>();
  let later = 1n;
  return {
    native,
    advance: (seconds) => {
      later += seconds;
    },
    balance: (address) => native.account(address, native.head().number)?.balanceWei ?? 0n,
    async send(from, to, data, valueWei = 0n) {
      const nonce = nonces.get(from.address) ?? 0;
      nonces.set(from.address, nonce + 1);
      const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n };
      const raw = await from.signTransaction({
        type: "eip1559",
        chainId: CHAIN_ID,
        nonce,
        ...(to === undefined ? {} : { to }),
        data,
        value: valueWei,
        gas: GAS,
        ...fees,
      });
      const [tx] = await mine(native, hexToBytes(raw), later);
      later = 1n;
      if (tx === undefined || !tx.included) throw new Error(`not included: ${JSON.stringify(tx)}`);
      return { tx, logs: JSON.parse(tx.logsJson) };
    },
    async call(from, to, data) {
      const block = native.head().number;
      const outcome = await native.call({ from: from.address, to, data: hexToBytes(data), gas: GAS, block });
      if (!outcome.ok && outcome.code !== "reverted") throw new Error(JSON.stringify(outcome.code));
      return { ok: outcome.ok, data: bytesToHex(outcome.data) };
    },
    async close() {
      await native.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

type Alloc = Parameters<typeof predeployAlloc>[0];

function genesis(validators: Alloc["validators"], withdrawalDelaySeconds: bigint | undefined): string {
  const funded = [0, 1, 2, 3, 4, 5].map((index) => [sender(index).address, { balance: "0x21e19e0c9bab2400000" }]);
  const delay = withdrawalDelaySeconds === undefined ? {} : { withdrawalDelaySeconds };
  const predeploys = Object.entries(predeployAlloc({ owner: sender(0).address, validators, ...delay }));
  return JSON.stringify({
    chainId: CHAIN_ID,
    timestamp: 1_700_000_000,
    gasLimit: 100_000_000,
    baseFeePerGas: "0x3b9aca00",
    minBaseFee: "0x0",
    allowUnprotectedTxs: false,
    alloc: Object.fromEntries([...funded, ...predeploys.map(([at, account]) => [at, { balance: "0x0", ...account }])]),
  });
}

async function mine(native: Native, tx: Uint8Array, later: bigint) {
  const { number, timestamp } = native.head();
  const consensusHash = new Uint8Array(32).fill(Number(number % 251n));
  const block = { height: number + 1n, timestamp: timestamp + later, miner: MINER, txs: [tx], consensusHash };
  const { txs } = await native.execute(block);
  await native.commit();
  return txs;
}
