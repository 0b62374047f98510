/**
 * What a production service refuses about its chain, asked of the node: accounts of a sandbox in the genesis, a vault
 * that is not there.
 */
import { InclusionVault } from "@cairn/contracts";
import { PUBLIC_ACCOUNTS } from "@cairn/primitives";
import type { ServiceOptions } from "../options.ts";
import { createRpcCall, type RpcCall } from "../ports/json-rpc-client.ts";
import { readHex, readQuantity } from "../ports/rpc-shape.ts";
import { type Refusal, refusal } from "./production-rules.ts";

/**
 * Refusals about the chain's block 0; later balances say nothing, anyone may send to these accounts. Throws
 * `EndpointError` when the node does not answer.
 */
export async function chainRefusals(o: {
  readonly nodeRpcUrl: string;
  /** How proofs are paid for. */
  readonly payment: ServiceOptions["payment"];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<readonly Refusal[]> {
  const call = createRpcCall({ url: o.nodeRpcUrl, timeoutMs: o.timeoutMs, signal: o.signal });
  return [...(await sandboxAccounts(call)), ...(o.payment === "vault" ? await missingVault(call) : [])];
}

async function sandboxAccounts(call: RpcCall): Promise<readonly Refusal[]> {
  const balances = await Promise.all(PUBLIC_ACCOUNTS.map((account) => call("eth_getBalance", [account, "0x0"])));
  const funded = balances.filter((balance) => readQuantity(balance, "eth_getBalance") > 0n).length;
  if (funded === 0) return [];
  const problem = `leads to a chain whose genesis funds ${funded} publicly known accounts: it is a sandbox's, make another`;
  return [refusal("sandbox-accounts-funded", "chain.node-rpc", problem)];
}

/** Deposits are safe only with the code that this version was made for. */
async function missingVault(call: RpcCall): Promise<readonly Refusal[]> {
  const code = readHex(await call("eth_getCode", [InclusionVault.address, "0x0"]), "eth_getCode");
  if (code === InclusionVault.runtimeBytecode) return [];
  const problem = `is vault, but the chain's genesis has not this version's InclusionVault at ${InclusionVault.address}: set it to none, or make another chain`;
  return [refusal("no-vault", "payment.mode", problem)];
}
