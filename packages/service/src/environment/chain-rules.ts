/** What a production service refuses about its chain, asked of the node: accounts of a sandbox in the genesis. */
import { createRpcCall } from "../ports/json-rpc-client.ts";
import { readQuantity } from "../ports/rpc-shape.ts";
import { PUBLIC_ACCOUNTS } from "./known-keys.ts";
import type { Refusal } from "./production-rules.ts";

/**
 * Refusals about the chain's block 0; later balances say nothing, anyone may send to these accounts. Throws
 * `EndpointError` when the node does not answer.
 */
export async function chainRefusals(o: {
  readonly nodeRpcUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<readonly Refusal[]> {
  const call = createRpcCall({ url: o.nodeRpcUrl, timeoutMs: o.timeoutMs, signal: o.signal });
  const balances = await Promise.all(PUBLIC_ACCOUNTS.map((account) => call("eth_getBalance", [account, "0x0"])));
  const funded = balances.filter((balance) => readQuantity(balance, "eth_getBalance") > 0n).length;
  if (funded === 0) return [];
  const message = `the chain's genesis funds ${funded} publicly known accounts: it is a sandbox's, make another chain`;
  return [{ code: "sandbox-accounts-funded", message }];
}
