/** `SettlementPort` over the node's JSON-RPC and consensus RPC. Owns fees and gas limits; not what is settled when. */
import {
  ChainMismatchError,
  type PayerCharge,
  type SendOutcome,
  type SettledEvent,
  type SettlementPort,
} from "@cairn/aggregator";
import { BATCH_SETTLED_TOPIC, decodeBatchSettled, encodeSettleCall, ProofHub } from "@cairn/contracts";
import { bytesToHex, type Hash, type Hex, quantityToHex } from "@cairn/primitives";
import type { SettlementParts } from "@cairn/proofs";
import { createTransactionSigner } from "../transaction-signer.ts";
import { readBlockParts } from "./block-parts.ts";
import { readSignedHeight } from "./consensus-client.ts";
import { createRpcCall, EndpointError, type RpcCall, RpcCallError } from "./json-rpc-client.ts";
import { readArray, readCount, readHash, readHex, readObject, readQuantity } from "./rpc-shape.ts";
import { settlementFees } from "./settlement-fees.ts";
import { ownCharges } from "./vault-port.ts";

/** Options of the port. */
export interface SettlementPortOptions {
  readonly nodeRpcUrl: string;
  readonly consensusRpcUrl: string;
  readonly settlerKey: Uint8Array;
  readonly chainId: bigint;
  readonly timeoutMs: number;
  /** Ends calls in progress. */
  readonly signal: AbortSignal;
}

/** Makes the port; nothing is called before its methods are. */
export function createSettlementPort(o: SettlementPortOptions): SettlementPort {
  const call = createRpcCall({ url: o.nodeRpcUrl, timeoutMs: o.timeoutMs, signal: o.signal });
  const signer = createTransactionSigner(o.settlerKey);
  return {
    chainId: o.chainId,
    submitter: signer.address,
    hub: ProofHub.address,
    genesis: () => genesis(call, o.chainId),
    head: async () => readCount(await call("eth_blockNumber", []), "eth_blockNumber"),
    nonce: async () =>
      readCount(await call("eth_getTransactionCount", [signer.address, "latest"]), "eth_getTransactionCount"),
    sign: async ({ number, batch, payers, nonce, gasLimit }) => {
      const latest = readObject(await call("eth_getBlockByNumber", ["latest", false]), "eth_getBlockByNumber");
      const baseFee = readQuantity(latest.baseFeePerGas, "baseFeePerGas");
      const blockGasLimit = readQuantity(latest.gasLimit, "gasLimit");
      const data = encodeSettleCall(BigInt(number), batch, payers);
      const gas = gasLimit < blockGasLimit ? BigInt(gasLimit) : blockGasLimit;
      return signer.sign({
        chainId: o.chainId,
        nonce: BigInt(nonce),
        ...settlementFees(baseFee, gas),
        gasLimit: gas,
        to: ProofHub.address,
        valueWei: 0n,
        data,
      });
    },
    send: (raw) => send(call, raw),
    locate: (hash) => locate(call, hash),
    settled: (from, to) => settledEvents(call, signer.address, from, to),
    parts: (event) => parts(call, o, event),
  };
}

async function genesis(call: RpcCall, chainId: bigint): Promise<Hash> {
  const answered = readQuantity(await call("eth_chainId", []), "eth_chainId");
  if (answered !== chainId) throw new ChainMismatchError(`the node's chain id is ${answered}, not ${chainId}`);
  const block = readObject(await call("eth_getBlockByNumber", ["0x0", false]), "block 0");
  return readHash(block.hash, "block 0");
}

/** Outcomes of the pool by geth's texts (the wire contract of `eth_sendRawTransaction`). */
async function send(call: RpcCall, raw: Uint8Array): Promise<SendOutcome> {
  try {
    await call("eth_sendRawTransaction", [bytesToHex(raw)]);
    return { ok: true };
  } catch (error) {
    if (!(error instanceof RpcCallError)) throw error;
    const { message } = error;
    if (/already known/i.test(message)) return { ok: true };
    return { ok: false, code: /nonce too low/i.test(message) ? "nonce-used" : "refused", message };
  }
}

async function locate(call: RpcCall, hash: Hash): ReturnType<SettlementPort["locate"]> {
  const receipt = await call("eth_getTransactionReceipt", [hash]);
  if (receipt !== null) {
    return readQuantity(readObject(receipt, "receipt").status, "status") === 1n ? "settled" : "reverted";
  }
  return (await call("eth_getTransactionByHash", [hash])) === null ? "unknown" : "pending";
}

async function settledEvents(call: RpcCall, submitter: Hex, from: number, to: number): Promise<SettledEvent[]> {
  const topics = [BATCH_SETTLED_TOPIC, `0x${"00".repeat(12)}${submitter.slice(2)}`];
  const filter = { fromBlock: quantityToHex(from), toBlock: quantityToHex(to), address: ProofHub.address, topics };
  const logs = readArray(await call("eth_getLogs", [filter]), "eth_getLogs").map((entry) => readObject(entry, "log"));
  if (logs.length === 0) return [];
  const charges = await ownCharges(call, submitter, from, to);
  return logs.map((log) => settledEvent(log, charges.get(readHash(log.transactionHash, "transactionHash")) ?? []));
}

function settledEvent(log: Readonly<Record<string, unknown>>, charges: readonly PayerCharge[]): SettledEvent {
  const topics = readArray(log.topics, "topics").map((topic) => readHash(topic, "topic"));
  const decoded = decodeBatchSettled({ topics, data: readHex(log.data, "data") });
  if (decoded === undefined) throw new EndpointError("a BatchSettled log that cannot be decoded");
  return {
    number: Number(decoded.number),
    commitment: decoded.commitment,
    root: decoded.root,
    size: Number(decoded.size),
    verified: Number(decoded.verified),
    commitments: Number(decoded.commitments),
    excluded: excludedSlots(decoded.excluded, Number(decoded.size)),
    block: readCount(log.blockNumber, "blockNumber"),
    transactionHash: readHash(log.transactionHash, "transactionHash"),
    transactionIndex: readCount(log.transactionIndex, "transactionIndex"),
    charges,
  };
}

/** Slots named by a bitmap: slot i is bit 7 - i % 8 of byte i / 8; empty when none is. */
export function excludedSlots(bitmap: Uint8Array, size: number): readonly number[] {
  return Array.from({ length: size }, (_, slot) => slot).filter(
    (slot) => ((bitmap[slot >> 3] ?? 0) & (0x80 >> (slot % 8))) !== 0,
  );
}

async function parts(call: RpcCall, o: SettlementPortOptions, event: SettledEvent): Promise<SettlementParts> {
  const consensusRpc = { url: o.consensusRpcUrl, timeoutMs: o.timeoutMs, signal: o.signal };
  const [block, consensus] = await Promise.all([
    readBlockParts(call, quantityToHex(event.block)),
    readSignedHeight(consensusRpc, event.block + 1),
  ]);
  return { chainId: o.chainId, hub: ProofHub.address, ...block, index: event.transactionIndex, consensus };
}
