/**
 * `AnchorPort` over checked Bitcoin nodes and a signer. Owns fees and refilling the wallet; not when to anchor or to
 * offer more.
 */
import { type AnchorCoin, type AnchorPort, type BroadcastOutcome, NetworkMismatchError } from "@cairn/aggregator";
import { displayHash, equalBytes, parseBlock, parseTransaction, transactionId, transactionVsize } from "@cairn/bitcoin";
import {
  type AnchorSigner,
  anchorVsize,
  type BitcoinRpc,
  bumpedFee,
  type ChainView,
  ChainViewError,
  type Coin,
  DUST_SAT,
  type FeePolicy,
  feeTarget,
  firstFee,
  isRpcCode,
} from "@cairn/bitcoin-node";
import type { BitcoinNetwork } from "@cairn/proofs";
import { anchorSpends } from "./anchor-spends.ts";

/** What an operator allows anchors to cost, and when the wallet counts as running dry. */
export interface AnchorFees extends FeePolicy {
  /** Anchors at today's fee; with fewer left, further coins are added. */
  readonly runway: number;
}

/** What the port is made of. */
export interface AnchorPortOptions {
  readonly nodes: readonly [BitcoinRpc, ...BitcoinRpc[]];
  readonly view: ChainView;
  readonly signer: AnchorSigner;
  readonly network: BitcoinNetwork;
  readonly fees: AnchorFees;
  /** Confirmed coins of the wallet, the chain of anchors' own among them. */
  readonly coins: () => Promise<readonly Coin[]>;
  /** A first coin where no search finds one: the embedded node's faucet. */
  readonly faucet?: () => Promise<AnchorCoin>;
}

/** The port, and what an anchor costs now. */
export interface BitcoinPort extends AnchorPort {
  /** Satoshi, by the last estimate; undefined before the first. */
  costSat(): number | undefined;
}

const METHOD_NOT_FOUND = -32_601;

/** Most coins added to one anchor: it must stay small enough for an OpenTimestamps path. */
const MAX_EXTRA_INPUTS = 8;

/** Makes the port; nothing is called before its methods are. */
export function createAnchorPort(o: AnchorPortOptions): BitcoinPort {
  const [rpc, ...others] = o.nodes;
  let costSat: number | undefined;
  const estimate = async (round: number): Promise<number | null> => {
    const rate = await rpc.estimateFeeRate(feeTarget(o.fees, round));
    if (round === 0) costSat = firstFee(o.fees, anchorVsize(1), rate);
    return rate;
  };
  return {
    network: o.network,
    tip: () => tip(o.view),
    blockHash: (height) => o.view.blockHash(height),
    block: (hash) => o.view.block(hash),
    txids: (block) => parseBlock(block).transactions.map((tx) => displayHash(transactionId(tx))),
    ...anchorSpends(o.signer.scriptPubKey),
    spender: (coin) => waitingSpender(rpc, coin),
    funding: async () => {
      const [coin] = await o.coins();
      return coin === undefined ? o.faucet?.() : toAnchorCoin(coin);
    },
    isSpent: async ({ txid, vout }) => (await rpc.getTxOut(txid, vout, false)) === null,
    sign: async ({ input, data }) => {
      const rate = await estimate(0);
      const feeFor = (inputs: number) => firstFee(o.fees, anchorVsize(inputs), rate);
      const extraInputs = await refill(o, input, feeFor(1), []);
      return signed(o.signer, { input, data, extraInputs, feeSat: feeFor(1 + extraInputs.length) });
    },
    bump: async ({ input, data, previous, round }) => {
      const rate = await estimate(round);
      const before = { feeSat: previous.feeSat, vsize: transactionVsize(parseTransaction(previous.rawTx)) };
      const feeFor = (inputs: number) =>
        bumpedFee(o.fees, { vsize: anchorVsize(inputs), estimate: rate, previous: before });
      const kept = await keptInputs(o, previous.rawTx);
      const extraInputs = await refill(o, input, feeFor(1 + kept.length) ?? 0, kept);
      const feeSat = feeFor(1 + extraInputs.length);
      const total = extraInputs.reduce((sum, coin) => sum + Number(coin.valueSat), input.valueSat);
      if (feeSat === undefined || total - feeSat < DUST_SAT) return undefined;
      return signed(o.signer, { input, data, extraInputs, feeSat });
    },
    broadcast: async (rawTx): Promise<BroadcastOutcome> => {
      const outcome = await rpc.sendRawTransaction(rawTx);
      for (const other of others) await other.sendRawTransaction(rawTx).catch(() => undefined);
      if (outcome.ok) return { ok: true };
      const { message } = outcome;
      if (outcome.code === "missing-inputs") return { ok: false, code: "missing-inputs", message };
      return { ok: false, code: /\bfee\b|priority/i.test(message) ? "fee-too-low" : "rejected", message };
    },
    costSat: () => costSat,
  };
}

/** Bitcoin Core before 24 cannot tell: then nobody is waited for. */
async function waitingSpender(rpc: BitcoinRpc, { txid, vout }: AnchorCoin): Promise<string | undefined> {
  try {
    return (await rpc.getSpender(txid, vout)) ?? undefined;
  } catch (error) {
    if (isRpcCode(error, METHOD_NOT_FOUND)) return undefined;
    throw error;
  }
}

/** Before the first look at the chain, another network is a fault of the configuration. */
async function tip(view: ChainView): Promise<number> {
  try {
    return await view.tip();
  } catch (error) {
    const isConfigured = error instanceof ChainViewError && error.code === "wrong-network";
    throw isConfigured && view.status() === undefined ? new NetworkMismatchError(error.message) : error;
  }
}

/** Further coins for an anchor whose wallet is running dry, those it has already first. */
async function refill(
  o: AnchorPortOptions,
  input: AnchorCoin,
  feeSat: number,
  kept: readonly Coin[],
): Promise<readonly Coin[]> {
  const total = kept.reduce((sum, coin) => sum + Number(coin.valueSat), input.valueSat);
  if (total - feeSat >= o.fees.runway * feeSat + Number(DUST_SAT)) return kept;
  const known = new Set([input, ...kept].map(outpoint));
  const found = (await o.coins()).filter((coin) => !known.has(outpoint(coin)));
  return [...kept, ...(await unspent(o, found))].slice(0, MAX_EXTRA_INPUTS);
}

const outpoint = ({ txid, vout }: { readonly txid: string; readonly vout: number }): string => `${txid}:${vout}`;

/** The further inputs of a variant that can still be spent. */
async function keptInputs(o: AnchorPortOptions, rawTx: Uint8Array): Promise<readonly Coin[]> {
  const inputs = parseTransaction(rawTx).inputs.slice(1);
  return unspent(
    o,
    inputs.map(({ txid, vout }) => ({ txid: displayHash(txid), vout })),
  );
}

/** Those of some outpoints that are own, confirmed and unspent now. */
async function unspent(
  o: AnchorPortOptions,
  outpoints: readonly { readonly txid: string; readonly vout: number }[],
): Promise<readonly Coin[]> {
  const coins: Coin[] = [];
  for (const { txid, vout } of outpoints.slice(0, MAX_EXTRA_INPUTS)) {
    const out = await o.nodes[0].getTxOut(txid, vout, false);
    const isOwn = out !== null && out.confirmations > 0 && equalBytes(out.scriptPubKey, o.signer.scriptPubKey);
    if (isOwn) coins.push({ txid, vout, valueSat: out.valueSat });
  }
  return coins;
}

async function signed(
  signer: AnchorSigner,
  o: {
    readonly input: AnchorCoin;
    readonly data: Uint8Array;
    readonly extraInputs: readonly Coin[];
    readonly feeSat: number;
  },
) {
  const input = { ...o.input, valueSat: BigInt(o.input.valueSat) };
  const built = await signer.sign({ input, data: o.data, extraInputs: o.extraInputs, feeSat: BigInt(o.feeSat) });
  return { rawTx: built.rawTx, txid: built.txid, change: toAnchorCoin(built.change), feeSat: Number(built.feeSat) };
}

function toAnchorCoin(coin: Coin): AnchorCoin {
  return { ...coin, valueSat: Number(coin.valueSat) };
}
