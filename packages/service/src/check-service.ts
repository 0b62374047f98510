/**
 * Looks at everything a service needs without starting it: environment, chain node, Bitcoin node. Answers findings;
 * writes nothing.
 */

import { NETWORKS } from "@cairn/bitcoin";
import { createBitcoinRpc } from "@cairn/bitcoin-node";
import { chainRefusals } from "./environment/chain-rules.ts";
import { productionRefusals } from "./environment/production-rules.ts";
import type { BitcoinOptions, ServiceOptions } from "./options.ts";
import { createRpcCall } from "./ports/json-rpc-client.ts";
import { readQuantity } from "./ports/rpc-shape.ts";

/** Something the operator should know. `refused`: it does not start; `waiting`: it starts and waits. */
export interface CheckFinding {
  readonly level: "refused" | "waiting";
  readonly code: string;
  readonly message: string;
}

const TIMEOUT_MS = 5_000;

/** All findings; none: the service starts and works. */
export async function checkService(o: ServiceOptions): Promise<readonly CheckFinding[]> {
  const refusals = o.environment === "production" ? productionRefusals(o) : [];
  const [chain, bitcoin] = await Promise.all([checkChain(o), checkBitcoin(o.bitcoin)]);
  return [...refusals.map((refusal) => ({ level: "refused", ...refusal }) as const), ...chain, ...bitcoin];
}

async function checkChain(o: ServiceOptions): Promise<readonly CheckFinding[]> {
  const timed = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
  try {
    const call = createRpcCall({ url: o.nodeRpcUrl, ...timed });
    const answered = readQuantity(await call("eth_chainId", []), "eth_chainId");
    if (o.evmChainId !== undefined && answered !== o.evmChainId) {
      return [refused("wrong-chain", `the chain node's chain id is ${answered}, not ${o.evmChainId}`)];
    }
    if (o.environment !== "production") return [];
    const refusals = await chainRefusals({ nodeRpcUrl: o.nodeRpcUrl, payment: o.payment, ...timed });
    return refusals.map(({ code, message }) => refused(code, message));
  } catch {
    return [waiting("chain-unreachable", `the chain node at ${new URL(o.nodeRpcUrl).origin} does not answer`)];
  }
}

async function checkBitcoin(bitcoin: BitcoinOptions): Promise<readonly CheckFinding[]> {
  if (bitcoin.kind === "embedded") return [];
  const expected = NETWORKS[bitcoin.network].genesisHash;
  const answers = await Promise.all(bitcoin.urls.map((url) => bitcoinGenesis(url)));
  return answers.flatMap(({ origin, genesis, failure }) => {
    if (failure !== undefined) return [waiting("bitcoin-unreachable", `${origin}: ${failure}`)];
    if (genesis === expected) return [];
    return [refused("wrong-bitcoin-network", `${origin} is not on ${bitcoin.network}: its block 0 is ${genesis}`)];
  });
}

async function bitcoinGenesis(url: string) {
  const { origin } = new URL(url);
  try {
    return { origin, genesis: await createBitcoinRpc({ url, timeoutMs: TIMEOUT_MS }).getBlockHash(0) };
  } catch (error) {
    return { origin, failure: error instanceof Error ? error.message : String(error) };
  }
}

const refused = (code: string, message: string): CheckFinding => ({ level: "refused", code, message });
const waiting = (code: string, message: string): CheckFinding => ({ level: "waiting", code, message });
