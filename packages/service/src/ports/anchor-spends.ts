/** Transactions of a block that spend the anchor wallet's coins: what `AnchorPort` tells of anchors nobody remembers. */
import type { AnchorPort, AnchorSpend } from "@cairn/aggregator";
import {
  type BitcoinTransaction,
  displayHash,
  equalBytes,
  opReturnData,
  parseBlock,
  serializeTransaction,
  transactionId,
} from "@cairn/bitcoin";
import { isKeyOf } from "@cairn/bitcoin-node";
import { bytesToHex } from "@cairn/primitives";
import { parseOpReturnData, WireError } from "@cairn/proofs";

/** The part of the port that reads blocks for a wallet's script. */
export function anchorSpends(script: Uint8Array): Pick<AnchorPort, "timeMs" | "spendOf" | "firstAnchor"> {
  return {
    timeMs: (block) => parseBlock(block).header.time * 1000,
    spendOf: (block, { txid, vout }) => {
      const spends = (tx: BitcoinTransaction): boolean =>
        tx.inputs.some((input) => input.vout === vout && displayHash(input.txid) === txid);
      const found = parseBlock(block).transactions.find(spends);
      return found === undefined ? undefined : toSpend(found, script);
    },
    firstAnchor: (block) => {
      const isFirst = (tx: BitcoinTransaction): boolean =>
        anchorData(tx)?.sequenceLow === 1 && isOwn(tx, script) && toSpend(tx, script).change !== undefined;
      const found = parseBlock(block).transactions.find(isFirst);
      return found === undefined ? undefined : toSpend(found, script);
    },
  };
}

/** Spent with the wallet's key, as far as the witness says. */
function isOwn({ inputs: [input] }: BitcoinTransaction, script: Uint8Array): boolean {
  const [, key, ...more] = input?.witness ?? [];
  return key !== undefined && more.length === 0 && isKeyOf(key, script);
}

function anchorData(tx: BitcoinTransaction): ReturnType<typeof parseOpReturnData> | undefined {
  const data = opReturnData(tx.outputs[1]?.scriptPubKey ?? new Uint8Array());
  try {
    return data === undefined ? undefined : parseOpReturnData(data);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function toSpend(tx: BitcoinTransaction, script: Uint8Array): AnchorSpend {
  const [change] = tx.outputs;
  const txid = displayHash(transactionId(tx));
  const isChange = change !== undefined && equalBytes(change.scriptPubKey, script);
  const data = anchorData(tx);
  return {
    txid,
    rawTx: serializeTransaction(tx),
    commitment: data === undefined ? undefined : bytesToHex(data.commitment),
    change: isChange ? { txid, vout: 0, valueSat: Number(change.valueSat) } : undefined,
  };
}
