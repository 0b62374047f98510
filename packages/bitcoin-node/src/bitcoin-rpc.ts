/**
 * Typed client for the RPC subset that Bitcoin Core, btcd and the embedded regtest share. Owns the differences between
 * them (error numbers, argument types); keeps no state.
 */
import { decodeHex, displayHash, encodeHex, parseTransaction, serializeStripped, txid as txidOf } from "@cairn/bitcoin";
import { BitcoinRpcError, isRpcCode } from "./rpc-error.ts";
import { createRpcTransport, type RpcCall } from "./rpc-transport.ts";
import type { BitcoinRpc, BitcoinRpcOptions, ChainInfo, KnownTransaction, SendOutcome, TxOut } from "./types.ts";

const NOT_FOUND = -5;
const METHOD_NOT_FOUND = -32601;

/** A client for the node at `url`. Methods throw `BitcoinRpcError`. */
export function createBitcoinRpc(options: BitcoinRpcOptions): BitcoinRpc {
  const call = createRpcTransport(options);
  return {
    call,
    getBlockchainInfo: () => getBlockchainInfo(call),
    getBlockCount: async () => asNumber("getblockcount", await call("getblockcount")),
    getBlockHash: async (height) => {
      // Above the tip: -8 (Core), -1 (btcd).
      const hash = await orNull(call("getblockhash", [height]), -8, -1);
      return hash === null ? null : asText("getblockhash", hash);
    },
    getBlockHeader: (hash) => getBytes(call, "getblockheader", [hash, false]),
    getBlock: (hash) => getBytes(call, "getblock", [hash, 0]),
    getRawTransaction: (txid) => getRawTransaction(call, txid),
    sendRawTransaction: (raw) => sendRawTransaction(call, raw),
    getTxOut: (txid, vout, includeMempool = true) => getTxOut(call, [txid, vout, includeMempool]),
    getSpender: (txid, vout) => getSpender(call, { txid, vout }),
    estimateFeeRate: (blocks) => estimateFeeRate(call, blocks),
  };
}

async function getBlockchainInfo(call: RpcCall): Promise<ChainInfo> {
  const method = "getblockchaininfo";
  const info = asObject(method, await call(method));
  return {
    chain: asText(method, info.chain),
    blocks: asNumber(method, info.blocks),
    bestBlockHash: asText(method, info.bestblockhash),
  };
}

async function getBytes(call: RpcCall, method: string, params: readonly unknown[]): Promise<Uint8Array | null> {
  const hex = await orNull(call(method, params), NOT_FOUND);
  return hex === null ? null : asBytes(method, hex);
}

async function getRawTransaction(call: RpcCall, txid: string): Promise<KnownTransaction | null> {
  const method = "getrawtransaction";
  const answer = await orNull(call(method, [txid, 1]), NOT_FOUND);
  if (answer === null) return null;
  const known = asObject(method, answer);
  const confirmations = typeof known.confirmations === "number" ? known.confirmations : 0;
  const raw = asBytes(method, known.hex);
  return typeof known.blockhash === "string"
    ? { raw, blockHash: known.blockhash, confirmations }
    : { raw, confirmations: 0 };
}

async function sendRawTransaction(call: RpcCall, raw: Uint8Array): Promise<SendOutcome> {
  const method = "sendrawtransaction";
  try {
    return { ok: true, txid: asText(method, await call(method, [encodeHex(raw)])) };
  } catch (error) {
    if (!(error instanceof BitcoinRpcError) || error.rpcCode === undefined) throw error;
    return sendRefused(call, raw, { rpcCode: error.rpcCode, message: error.message });
  }
}

// The numbers differ between nodes and -25, -26 may mean "known already": the node is asked again.
async function sendRefused(
  call: RpcCall,
  raw: Uint8Array,
  { rpcCode, message }: { rpcCode: number; message: string },
): Promise<SendOutcome> {
  if (rpcCode === -22) return { ok: false, code: "undecodable", rpcCode, message };
  const txid = displayHash(txidOf(serializeStripped(parseTransaction(raw))));
  if (rpcCode === -27) return { ok: true, txid, already: "chain" };
  const known = await getRawTransaction(call, txid);
  if (known !== null) return { ok: true, txid, already: known.blockHash === undefined ? "mempool" : "chain" };
  if (rpcCode === -25) {
    const missing = /orphan|missing|spent/i.test(message);
    return { ok: false, code: missing ? "missing-inputs" : "rejected", rpcCode, message };
  }
  if (rpcCode === -26) return { ok: false, code: "rejected", rpcCode, message };
  throw new BitcoinRpcError({ code: "rpc", method: "sendrawtransaction", rpcCode, message });
}

async function getTxOut(call: RpcCall, params: readonly unknown[]): Promise<TxOut | null> {
  const method = "gettxout";
  const answer = await call(method, params);
  if (answer === null) return null;
  const out = asObject(method, answer);
  return {
    valueSat: BigInt(Math.round(asNumber(method, out.value) * 1e8)),
    scriptPubKey: asBytes(method, asObject(method, out.scriptPubKey).hex),
    confirmations: asNumber(method, out.confirmations),
    coinbase: out.coinbase === true,
  };
}

async function getSpender(call: RpcCall, outpoint: { txid: string; vout: number }): Promise<string | null> {
  const method = "gettxspendingprevout";
  const answer = await call(method, [[outpoint]]);
  const first = asObject(method, Array.isArray(answer) ? answer[0] : undefined);
  return typeof first.spendingtxid === "string" ? first.spendingtxid : null;
}

async function estimateFeeRate(call: RpcCall, blocks: number): Promise<number | null> {
  const smart = await orNull(call("estimatesmartfee", [blocks]), METHOD_NOT_FOUND);
  if (smart !== null) {
    const { feerate } = asObject("estimatesmartfee", smart);
    return typeof feerate === "number" && feerate > 0 ? feerate * 1e5 : null;
  }
  const rate = await orNull(call("estimatefee", [Math.min(blocks, 25)]), -32600, METHOD_NOT_FOUND);
  return typeof rate === "number" && rate > 0 ? rate * 1e5 : null;
}

async function orNull(result: Promise<unknown>, ...codes: readonly number[]): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    if (isRpcCode(error, ...codes)) return null;
    throw error;
  }
}

function badAnswer(method: string): BitcoinRpcError {
  return new BitcoinRpcError({ code: "bad-answer", method, message: "an answer of another shape" });
}

function asObject(method: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw badAnswer(method);
  return value as Record<string, unknown>;
}

function asText(method: string, value: unknown): string {
  if (typeof value !== "string") throw badAnswer(method);
  return value;
}

function asNumber(method: string, value: unknown): number {
  if (typeof value !== "number") throw badAnswer(method);
  return value;
}

function asBytes(method: string, value: unknown): Uint8Array {
  const text = asText(method, value);
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw badAnswer(method);
  return decodeHex(text);
}
