/**
 * Owns the consensus events of a block and its Ethereum transactions: types, attribute names, order. Indexing and
 * matching them is the engine's.
 */
import type { AbciEvent, AbciEventAttribute } from "@cairn/abci";
import type { ExecutedTx } from "@cairn/native";
import { bytesToHex, type Log as EventLog, logsBloom, sha256, toChecksumAddress } from "@cairn/primitives";

type Pair = readonly [key: string, value: string];

const attribute = ([key, value]: Pair): AbciEventAttribute => ({ key, value, index: true });
const event = (type: string, ...pairs: readonly Pair[]): AbciEvent => ({ type, attributes: pairs.map(attribute) });

/**
 * Events of one executed transaction: `ethereum_tx`, its alias `ethereum`, a `tx_log` per log, `message`. Addresses
 * stand twice, in EIP-55 and in lower case, since queries match text exactly.
 */
export function txEvents(tx: ExecutedTx, raw: Uint8Array): readonly AbciEvent[] {
  const pairs: Pair[] = [
    ["ethereumTxHash", tx.hash],
    ["txIndex", String(tx.index)],
    ["amount", String(tx.valueWei)],
    ["txGasUsed", String(tx.gasUsed)],
    ["txHash", bytesToHex(sha256(raw)).slice(2).toUpperCase()],
  ];
  if (tx.to !== null) pairs.push(["recipient", toChecksumAddress(tx.to)], ["recipient", tx.to]);
  if (!tx.success) pairs.push(["ethereumTxFailed", "execution failed"]);
  const logs: readonly object[] = tx.logsJson === "[]" ? [] : JSON.parse(tx.logsJson);
  return [
    event("ethereum_tx", ...pairs),
    event("ethereum", ...pairs),
    ...logs.map((log) => event("tx_log", ["txLog", JSON.stringify(log)])),
    event(
      "message",
      ["module", "evm"],
      ["sender", toChecksumAddress(tx.sender)],
      ["sender", tx.sender],
      ["txType", String(tx.type)],
    ),
  ];
}

/** What the block's own events say. */
export interface BlockEventsInput {
  readonly height: bigint;
  readonly baseFeePerGasWei: bigint;
  readonly executed: readonly ExecutedTx[];
}

/** Events of the block itself, each with its `mode`: what the specification's query keys need to exist. */
export function blockEvents({ height, baseFeePerGasWei, executed }: BlockEventsInput): readonly AbciEvent[] {
  const begin: Pair = ["mode", "BeginBlock"];
  const end: Pair = ["mode", "EndBlock"];
  const gasUsed = executed.reduce((sum, tx) => sum + tx.gasUsed, 0n);
  return [
    event("begin_block", ["height", String(height)], begin),
    event("fee_market", ["base_fee", String(baseFeePerGasWei)], begin),
    event("block_bloom", ["bloom", bytesToHex(logsBloom(executed.flatMap(logsOf)))], end),
    event("block_gas", ["height", String(height)], ["amount", String(gasUsed)], end),
    event("end_block", ["height", String(height)], end),
  ];
}

function logsOf(tx: ExecutedTx): readonly EventLog[] {
  return tx.logsJson === "[]" ? [] : JSON.parse(tx.logsJson);
}
