/**
 * Looks at everything a service needs without starting it: environment, chain node, Bitcoin node. Answers findings;
 * writes nothing.
 */

import { NETWORKS } from "@cairn/bitcoin";
import { createBitcoinRpc } from "@cairn/bitcoin-node";
import type { PreparedService } from "./config/prepare.ts";
import { chainRefusals } from "./environment/chain-rules.ts";
import { type KnownOptions, productionRefusals, type Refusal, refusal } from "./environment/production-rules.ts";
import { storeRefusals } from "./environment/store-rules.ts";
import type { BitcoinOptions } from "./options.ts";
import { createRpcCall } from "./ports/json-rpc-client.ts";
import { readQuantity } from "./ports/rpc-shape.ts";

/** Something the operator should know. `refused`: it does not start; `waiting`: it starts and waits. */
export interface CheckFinding extends Refusal<string> {
  readonly level: "refused" | "waiting";
}

const TIMEOUT_MS = 5_000;

/** All findings, those of reading the configuration first; none: the service starts and works. */
export async function checkService({ known, faults }: PreparedService): Promise<readonly CheckFinding[]> {
  const rules = known.environment === "production" ? productionRefusals(known) : [];
  const [chain, bitcoin] = await Promise.all([checkChain(known), checkBitcoin(known.bitcoin)]);
  return [...[...faults, ...rules, ...storeRefusals(known)].map(refused), ...chain, ...bitcoin];
}

async function checkChain(o: KnownOptions): Promise<readonly CheckFinding[]> {
  const timed = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
  try {
    const call = createRpcCall({ url: o.nodeRpcUrl, ...timed });
    const answered = readQuantity(await call("eth_chainId", []), "eth_chainId");
    if (o.evmChainId !== undefined && answered !== o.evmChainId) {
      const problem = `is ${o.evmChainId}, but the chain node's chain id is ${answered}`;
      return [refused(refusal("wrong-chain", "chain.evm-chain-id", problem))];
    }
    if (o.environment !== "production") return [];
    const refusals = await chainRefusals({ nodeRpcUrl: o.nodeRpcUrl, payment: o.payment, ...timed });
    return refusals.map(refused);
  } catch {
    const problem = `names a chain node that does not answer: ${new URL(o.nodeRpcUrl).origin}`;
    return [waiting(refusal("chain-unreachable", "chain.node-rpc", problem))];
  }
}

async function checkBitcoin(bitcoin: BitcoinOptions | undefined): Promise<readonly CheckFinding[]> {
  if (bitcoin === undefined || bitcoin.kind === "embedded") return [];
  const expected = NETWORKS[bitcoin.network].genesisHash;
  const answers = await Promise.all(bitcoin.urls.map((url) => bitcoinGenesis(url)));
  return answers.flatMap(({ origin, genesis, failure }) => {
    const about = (code: string, problem: string) => refusal(code, "bitcoin.rpc-urls", problem);
    if (failure !== undefined) return [waiting(about("bitcoin-unreachable", `names ${origin}: ${failure}`))];
    if (genesis === expected) return [];
    const problem = `names ${origin}, which is not on ${bitcoin.network}: its block 0 is ${genesis}`;
    return [refused(about("wrong-bitcoin-network", problem))];
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

const refused = (found: Refusal<string>): CheckFinding => ({ level: "refused", ...found });
const waiting = (found: Refusal<string>): CheckFinding => ({ level: "waiting", ...found });
