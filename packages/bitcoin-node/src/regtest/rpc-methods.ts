/** The embedded node's RPC methods: names, argument names and answers as in Bitcoin Core. */
import {
  type BitcoinTransaction,
  displayHash,
  encodeHex,
  serializeHeader,
  transactionId,
  transactionVsize,
  witnessId,
} from "@cairn/bitcoin";
import { scriptOfAddress } from "./address.ts";
import type { RegtestChain } from "./chain.ts";
import { type BlockRow, storedBlock } from "./chain-store.ts";
import { FAULT, RegtestFault } from "./fault.ts";
import { type MempoolEntry, RELAY_FEE_PER_KVB } from "./mempool.ts";
import {
  blockJson,
  btc,
  chainWork,
  headerJson,
  REGTEST_DIFFICULTY,
  scriptJson,
  targetHex,
  transactionJson,
} from "./rpc-json.ts";
import {
  arrayParam,
  blockParam,
  boolParam,
  hashParam,
  intParam,
  type Params,
  textParam,
  transactionParam,
  verbosityParam,
} from "./rpc-params.ts";

/** What methods act on. */
export interface RpcTarget {
  readonly chain: RegtestChain;
  /** Mines at once; display hashes. */
  mine(count: number, scriptPubKey: Uint8Array): readonly string[];
  /** Seconds since the start. */
  uptime(): number;
}

/** A method with the names of its arguments (for calls by name). */
export interface RpcMethod {
  readonly args: readonly string[];
  run(target: RpcTarget, params: Params): unknown;
}

const method = (args: string, run: RpcMethod["run"]): RpcMethod => ({ args: args === "" ? [] : args.split(" "), run });

/** By name. */
export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map([
  ["getblockchaininfo", method("", ({ chain }) => chainInfo(chain))],
  ["getblockcount", method("", ({ chain }) => chain.tip().height)],
  ["getbestblockhash", method("", ({ chain }) => displayHash(chain.tip().hash))],
  ["getblockhash", method("height", blockHash)],
  ["getblockheader", method("blockhash verbose", blockHeader)],
  ["getblock", method("blockhash verbosity", block)],
  [
    "getchaintips",
    method("", ({ chain }) => [
      { height: chain.tip().height, hash: displayHash(chain.tip().hash), branchlen: 0, status: "active" },
    ]),
  ],
  ["getrawtransaction", method("txid verbosity blockhash", rawTransaction)],
  ["sendrawtransaction", method("hexstring maxfeerate maxburnamount", sendRawTransaction)],
  ["testmempoolaccept", method("rawtxs maxfeerate", testMempoolAccept)],
  ["gettxout", method("txid n include_mempool", txOut)],
  ["gettxspendingprevout", method("outputs", txSpendingPrevout)],
  ["getmempoolinfo", method("", ({ chain }) => mempoolInfo(chain))],
  ["getrawmempool", method("verbose mempool_sequence", rawMempool)],
  ["getmempoolentry", method("txid", mempoolEntry)],
  [
    "estimatesmartfee",
    method("conf_target estimate_mode", (_, params) => ({
      feerate: 0.00001,
      blocks: intParam(params, 0, "conf_target"),
    })),
  ],
  ["getnetworkinfo", method("", networkInfo)],
  ["generatetoaddress", method("nblocks address maxtries", generateToAddress)],
  ["submitblock", method("hexdata dummy", ({ chain }, params) => chain.acceptBlock(blockParam(params, 0)))],
  ["invalidateblock", method("blockhash", ({ chain }, params) => chain.invalidate(hashParam(params, 0, "blockhash")))],
  ["reconsiderblock", method("blockhash", ({ chain }, params) => chain.reconsider(hashParam(params, 0, "blockhash")))],
  ["uptime", method("", (target) => target.uptime())],
  ["help", method("command", () => [...RPC_METHODS.keys()].sort().join("\n"))],
]);

function chainInfo(chain: RegtestChain): object {
  const tip = chain.tip();
  return {
    chain: "regtest",
    blocks: tip.height,
    headers: tip.height,
    bestblockhash: displayHash(tip.hash),
    bits: "207fffff",
    target: targetHex(),
    difficulty: REGTEST_DIFFICULTY,
    time: tip.time,
    mediantime: chain.medianTime(tip.hash),
    verificationprogress: 1,
    initialblockdownload: false,
    chainwork: chainWork(tip.height),
    size_on_disk: 0,
    pruned: false,
    warnings: [],
  };
}

function blockHash({ chain }: RpcTarget, params: Params): string {
  const hash = chain.store.activeHash(intParam(params, 0, "height"));
  if (hash === undefined) throw new RegtestFault(FAULT.invalidParameter, "Block height out of range");
  return displayHash(hash);
}

function knownBlock(chain: RegtestChain, params: Params): BlockRow {
  const row = chain.store.block(hashParam(params, 0, "blockhash"));
  if (row === undefined) throw new RegtestFault(FAULT.notFound, "Block not found");
  return row;
}

function blockHeader({ chain }: RpcTarget, params: Params): unknown {
  const row = knownBlock(chain, params);
  const header = chain.header(row.hash);
  if (!boolParam(params, 1, "verbose", true)) return encodeHex(serializeHeader(header));
  return headerJson(chain, row, header, storedBlock(chain.store, row.hash)?.transactions.length ?? 0);
}

function block({ chain }: RpcTarget, params: Params): unknown {
  const row = knownBlock(chain, params);
  const verbosity = verbosityParam(params, 1, 1);
  const raw = chain.store.rawBlock(row.hash);
  const stored = storedBlock(chain.store, row.hash);
  if (raw === undefined || stored === undefined) throw new RegtestFault(FAULT.misc, "Block not available");
  return verbosity <= 0 ? encodeHex(raw) : blockJson(chain, row, stored, verbosity >= 2);
}

function rawTransaction({ chain }: RpcTarget, params: Params): unknown {
  const txid = hashParam(params, 0, "parameter 1");
  const verbose = verbosityParam(params, 1, 0) > 0;
  const waiting = chain.mempool.get(displayHash(txid))?.tx;
  if (waiting !== undefined) return verbose ? transactionJson(waiting) : hexOf(waiting);
  const place = chain.store.confirmed(txid);
  const hash = place === undefined ? undefined : chain.store.activeHash(place.height);
  const stored = hash === undefined ? undefined : storedBlock(chain.store, hash);
  const tx = stored?.transactions[place?.position ?? 0];
  if (place === undefined || hash === undefined || stored === undefined || tx === undefined) {
    throw new RegtestFault(
      FAULT.notFound,
      "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.",
    );
  }
  if (!verbose) return hexOf(tx);
  const { time } = stored.header;
  const confirmations = chain.tip().height - place.height + 1;
  return {
    in_active_chain: true,
    ...transactionJson(tx),
    blockhash: displayHash(hash),
    confirmations,
    time,
    blocktime: time,
  };
}

function sendRawTransaction({ chain }: RpcTarget, params: Params): string {
  const tx = transactionParam(params, 0);
  const txid = displayHash(transactionId(tx));
  if (chain.mempool.get(txid) !== undefined) return txid;
  if (tx.outputs.some((output) => output.scriptPubKey[0] === 0x6a && output.valueSat > 0n)) {
    throw new RegtestFault(FAULT.verify, "Unspendable output exceeds maximum configured by user (maxburnamount)");
  }
  const check = chain.checkTransaction(tx);
  const maxRate = feeRateParam(params[1]);
  if (check.ok && maxRate > 0 && Number(check.entry.feeSat) / check.entry.vsize > maxRate) {
    throw new RegtestFault(FAULT.verify, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
  }
  chain.addTransaction(tx);
  return txid;
}

// Bitcoins per 1,000 vbytes, as satoshi per vbyte; the default is Core's 0.10.
function feeRateParam(value: unknown): number {
  const rate = value === undefined || value === null ? 0.1 : Number(value);
  if (!Number.isFinite(rate) || rate < 0) throw new RegtestFault(FAULT.type, "Invalid amount");
  return rate * 1e5;
}

function testMempoolAccept({ chain }: RpcTarget, params: Params): unknown {
  return arrayParam(params, 0, "rawtxs").map((_, i, list) => {
    const tx = transactionParam(list, i);
    const ids = { txid: displayHash(transactionId(tx)), wtxid: displayHash(witnessId(tx)) };
    if (chain.store.confirmed(transactionId(tx)) !== undefined) {
      return { ...ids, allowed: false, "reject-reason": "txn-already-known" };
    }
    const check = chain.checkTransaction(tx);
    if (check.ok)
      return { ...ids, allowed: true, vsize: transactionVsize(tx), fees: { base: btc(check.entry.feeSat) } };
    const missing = check.reason.endsWith("missingorspent");
    return { ...ids, allowed: false, "reject-reason": missing ? "missing-inputs" : check.reason };
  });
}

function txOut({ chain }: RpcTarget, params: Params): unknown {
  const txid = hashParam(params, 0, "txid");
  const n = intParam(params, 1, "n");
  const withMempool = boolParam(params, 2, "include_mempool", true);
  if (withMempool && chain.mempool.spender(txid, n) !== undefined) return null;
  const coin = withMempool ? chain.mempool.output(txid, n) : chain.store.coin(txid, n);
  if (coin === undefined) return null;
  const tip = chain.tip();
  return {
    bestblock: displayHash(tip.hash),
    confirmations: Math.max(0, tip.height - coin.height + 1),
    value: btc(coin.valueSat),
    scriptPubKey: scriptJson(coin.script),
    coinbase: coin.coinbase,
  };
}

function txSpendingPrevout({ chain }: RpcTarget, params: Params): unknown {
  return arrayParam(params, 0, "outputs").map((item) => {
    const { txid, vout } = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    const internal = hashParam([txid], 0, "txid");
    const spendingtxid = chain.mempool.spender(internal, intParam([vout], 0, "vout"));
    return { txid, vout, ...(spendingtxid === undefined ? {} : { spendingtxid }) };
  });
}

function mempoolInfo(chain: RegtestChain): object {
  const entries = chain.mempool.entries();
  const relay = btc(RELAY_FEE_PER_KVB);
  return {
    loaded: true,
    size: entries.length,
    bytes: entries.reduce((sum, { vsize }) => sum + vsize, 0),
    usage: 0,
    total_fee: btc(entries.reduce((sum, { feeSat }) => sum + feeSat, 0n)),
    maxmempool: 300_000_000,
    mempoolminfee: relay,
    minrelaytxfee: relay,
    incrementalrelayfee: relay,
    unbroadcastcount: 0,
    fullrbf: true,
  };
}

function entryJson(entry: MempoolEntry): object {
  const { vsize, time, feeSat } = entry;
  return {
    vsize,
    weight: vsize * 4,
    time,
    fees: { base: btc(feeSat), modified: btc(feeSat) },
    wtxid: displayHash(witnessId(entry.tx)),
  };
}

function rawMempool({ chain }: RpcTarget, params: Params): unknown {
  const entries = chain.mempool.entries().map((entry) => [displayHash(entry.txid), entry] as const);
  if (!boolParam(params, 0, "verbose", false)) return entries.map(([txid]) => txid);
  return Object.fromEntries(entries.map(([txid, entry]) => [txid, entryJson(entry)]));
}

function mempoolEntry({ chain }: RpcTarget, params: Params): object {
  const entry = chain.mempool.get(displayHash(hashParam(params, 0, "txid")));
  if (entry === undefined) throw new RegtestFault(FAULT.notFound, "Transaction not in mempool");
  return entryJson(entry);
}

function networkInfo(): object {
  const relay = btc(RELAY_FEE_PER_KVB);
  return {
    version: 290000,
    subversion: "/Cairn-regtest:1/",
    protocolversion: 70016,
    connections: 0,
    networkactive: false,
    relayfee: relay,
    incrementalfee: relay,
    warnings: [],
  };
}

function generateToAddress(target: RpcTarget, params: Params): readonly string[] {
  const count = intParam(params, 0, "nblocks");
  if (count < 0 || count > 1000) throw new RegtestFault(FAULT.invalidParameter, "nblocks must lie between 0 and 1000");
  return target.mine(count, scriptOfAddress(textParam(params, 1, "address")));
}

function hexOf(tx: BitcoinTransaction): string {
  return (transactionJson(tx) as { hex: string }).hex;
}
