/**
 * Coins of one address, found without a wallet in the node: outpoints the operator names, the UTXO set's scan (Bitcoin
 * Core), the address index (btcd). Owns the search; which coin is spent is the caller's decision.
 */
import { displayHash, equalBytes, parseTransaction, transactionId } from "@cairn/bitcoin";
import { isRpcCode } from "./rpc-error.ts";
import type { BitcoinRpc, Coin } from "./types.ts";

/** What is searched for, and where. */
export interface CoinSearch {
  /** Slow calls are made with it: scanning Bitcoin Core's UTXO set takes minutes on mainnet. */
  readonly rpc: BitcoinRpc;
  readonly address: string;
  readonly scriptPubKey: Uint8Array;
  readonly configured: readonly { readonly txid: string; readonly vout: number }[];
}

type Outpoint = CoinSearch["configured"][number];

const COINBASE_MATURITY = 100;
/** Of btcd's index. */
const PAGE = 100;
const MOST_PAGES = 20;

/** Confirmed, spendable coins of the address, each once; largest first. Throws `BitcoinRpcError`. */
export async function findCoins(o: CoinSearch): Promise<readonly Coin[]> {
  const outpoints = [...o.configured, ...((await scanned(o)) ?? (await indexed(o)) ?? [])];
  const coins = new Map<string, Coin>();
  for (const { txid, vout } of outpoints) {
    const key = `${txid}:${vout}`;
    if (coins.has(key)) continue;
    const out = await o.rpc.getTxOut(txid, vout, false);
    if (out === null || !equalBytes(out.scriptPubKey, o.scriptPubKey)) continue;
    if (out.confirmations < (out.coinbase ? COINBASE_MATURITY : 1)) continue;
    coins.set(key, { txid, vout, valueSat: out.valueSat });
  }
  return [...coins.values()].sort((a, b) => (a.valueSat < b.valueSat ? 1 : -1));
}

const METHOD_NOT_FOUND = -32_601;
/** Another scan is running; btcd's index is off; the address is in no transaction. */
const NOTHING_TO_SAY = [-8, -1, -5, METHOD_NOT_FOUND];

/** Unspent outputs by Bitcoin Core's scan; undefined: the node has none. */
async function scanned(o: CoinSearch): Promise<readonly Outpoint[] | undefined> {
  const answer = await orUndefined(o.rpc.call("scantxoutset", ["start", [`addr(${o.address})`]]));
  if (!isObject(answer) || !Array.isArray(answer.unspents)) return undefined;
  return answer.unspents.filter(isObject).flatMap(({ txid, vout }) => outpoint(txid, vout));
}

function outpoint(txid: unknown, vout: unknown): readonly Outpoint[] {
  return typeof txid === "string" && /^[0-9a-f]{64}$/.test(txid) && typeof vout === "number" ? [{ txid, vout }] : [];
}

/** Outputs to the address in btcd's index, newest first, spent ones among them; undefined: the node has none. */
async function indexed(o: CoinSearch): Promise<readonly Outpoint[] | undefined> {
  const found: Outpoint[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = [o.address, 0, page * PAGE, PAGE, 0, true];
    const answer = await orUndefined(o.rpc.call("searchrawtransactions", params));
    if (!Array.isArray(answer)) return page === 0 ? undefined : found;
    const raw = answer.filter((hex) => typeof hex === "string" && /^([0-9a-f]{2})+$/.test(hex));
    found.push(...raw.flatMap((hex) => ownOutputs(o, hex)));
    if (answer.length < PAGE) return found;
  }
  return found;
}

function ownOutputs(o: CoinSearch, hex: string): readonly Outpoint[] {
  const tx = parseTransaction(Uint8Array.from(Buffer.from(hex, "hex")));
  const txid = displayHash(transactionId(tx));
  return tx.outputs.flatMap((output, vout) =>
    equalBytes(output.scriptPubKey, o.scriptPubKey) ? [{ txid, vout }] : [],
  );
}

async function orUndefined(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isRpcCode(error, ...NOTHING_TO_SAY)) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
