/**
 * The integrator's side of `InclusionVault`: what a payer has there, and the transactions that change it. Keys stay with
 * the caller, who signs.
 */
import { encodeVaultCall, InclusionVault, type VaultCall } from "@cairn/contracts";
import { type Address, bytesToHex, type Hash, type Hex } from "@cairn/primitives";
import { createNodeClient, type NodeClient, NodeRefused } from "./json-rpc.ts";
import { explainRevert } from "./vault-refusal.ts";

/** An EIP-1559 transaction to be signed. Amounts in wei. */
export interface VaultTransaction {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** Whoever holds the key: a key file, a hardware wallet, a library's account. */
export interface VaultSigner {
  readonly address: Address;
  /** The signed transaction, EIP-2718 bytes. */
  sign(transaction: VaultTransaction): Promise<Hex>;
}

/** What a payer has in the vault. Amounts in wei, times in seconds since 1970. */
export interface VaultState {
  readonly payer: Address;
  /** Outside the vault: pays deposits and gas. */
  readonly walletWei: bigint;
  /** Deposited and neither charged nor withdrawn. */
  readonly depositedWei: bigint;
  readonly withdrawal: { readonly amountWei: bigint; readonly availableAt: bigint } | undefined;
  readonly withdrawalDelaySeconds: bigint;
  /** What the settler may charge; undefined when no settler was named. */
  readonly allowance:
    | { readonly settler: Address; readonly maxPerProofWei: bigint; readonly maxPerDayWei: bigint }
    | undefined;
  /** Charges of the settler that were skipped and not covered since. */
  readonly owedWei: bigint;
}

/** A transaction that was included with effect. */
export interface VaultReceipt {
  readonly hash: Hash;
  readonly blockNumber: bigint;
}

/** The vault of one chain. Calls reject with `NodeRefused`. */
export interface Vault {
  state(payer: Address, settler?: Address): Promise<VaultState>;
  /** Signs, sends and waits until it is in a block. Rejects when it reverts. */
  send(signer: VaultSigner, call: VaultCall, valueWei?: bigint): Promise<VaultReceipt>;
}

const SELECTORS = {
  balanceOf: "0x70a08231",
  requestOf: "0x79e2e31c",
  allowanceOf: "0x1a46ec82",
  owed: "0x28079e4a",
  withdrawalDelay: "0xa7ab6961",
} as const;

const POLL_MS = 250;
const PATIENCE_MS = 60_000;
const TIP_WEI = 1_000_000_000n;

/** Makes the vault's client for a node. */
export function createVault(o: { readonly rpcUrl: string; readonly fetch?: typeof globalThis.fetch }): Vault {
  const node = createNodeClient({ url: o.rpcUrl, ...(o.fetch === undefined ? {} : { fetch: o.fetch }) });
  return {
    state: (payer, settler) => stateOf(node, payer, settler),
    send: async (signer, call, valueWei = 0n) => {
      const transaction = await transactionOf(node, signer.address, call, valueWei).catch(explained);
      return included(node, await node.call<Hash>("eth_sendRawTransaction", await signer.sign(transaction)));
    },
  };
}

/** A revert of the vault says why; other errors are what they were. */
function explained(error: unknown): never {
  const why = error instanceof NodeRefused ? explainRevert(error.data) : undefined;
  if (why === undefined || !(error instanceof NodeRefused)) throw error;
  throw new NodeRefused(`the vault refuses: ${why}`, error.code, { cause: error, data: error.data });
}

async function stateOf(node: NodeClient, payer: Address, settler: Address | undefined): Promise<VaultState> {
  const read = (name: keyof typeof SELECTORS, ...addresses: readonly Address[]) => words(node, name, addresses);
  const [walletWei, balance, request, delay] = await Promise.all([
    node.quantity("eth_getBalance", payer, "latest"),
    read("balanceOf", payer),
    read("requestOf", payer),
    read("withdrawalDelay"),
  ]);
  const [amountWei = 0n, availableAt = 0n] = request;
  const allowed = settler === undefined ? [] : await read("allowanceOf", payer, settler);
  const [maxPerProofWei = 0n, maxPerDayWei = 0n] = allowed;
  const owed = settler === undefined ? [] : await read("owed", payer, settler);
  return {
    ...{ payer, walletWei, depositedWei: balance[0] ?? 0n },
    withdrawal: amountWei === 0n ? undefined : { amountWei, availableAt },
    withdrawalDelaySeconds: delay[0] ?? 0n,
    allowance: settler === undefined ? undefined : { settler, maxPerProofWei, maxPerDayWei },
    owedWei: owed[0] ?? 0n,
  };
}

/** A view call's result as words. */
async function words(node: NodeClient, name: keyof typeof SELECTORS, addresses: readonly Address[]): Promise<bigint[]> {
  const data = SELECTORS[name] + addresses.map((address) => address.slice(2).padStart(64, "0")).join("");
  const result = await node.call<Hex>("eth_call", { to: InclusionVault.address, data }, "latest");
  return (result.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

async function transactionOf(
  node: NodeClient,
  from: Address,
  call: VaultCall,
  value: bigint,
): Promise<VaultTransaction> {
  const to: Address = `0x${InclusionVault.address.slice(2)}`;
  const data = bytesToHex(encodeVaultCall(call));
  const message = { from, to, data, value: `0x${value.toString(16)}` };
  const [chainId, nonce, gas, head] = await Promise.all([
    node.quantity("eth_chainId"),
    node.quantity("eth_getTransactionCount", from, "pending"),
    node.quantity("eth_estimateGas", message),
    node.call<{ readonly baseFeePerGas: Hex }>("eth_getBlockByNumber", "latest", false),
  ]);
  const maxFeePerGas = 2n * BigInt(head.baseFeePerGas) + TIP_WEI;
  return { chainId, nonce, maxPriorityFeePerGas: TIP_WEI, maxFeePerGas, gas, to, value, data };
}

async function included(node: NodeClient, hash: Hash): Promise<VaultReceipt> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const receipt = await node.call<{ blockNumber: Hex; status: Hex } | null>("eth_getTransactionReceipt", hash);
    if (receipt !== null && receipt.status !== "0x1") throw new NodeRefused(`the transaction ${hash} was reverted`);
    if (receipt !== null) return { hash, blockNumber: BigInt(receipt.blockNumber) };
    if (performance.now() > end) throw new NodeRefused(`the transaction ${hash} is not in a block yet`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
