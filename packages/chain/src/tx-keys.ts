/**
 * Owns what the consensus side finds Ethereum transactions by: hash, sender and recipient, one row each. The spellings
 * and alias types of the events (`ethereum_tx`, `ethereum`) share a row and are told apart when matching.
 */
import type { ExecTxResult } from "@cairn/abci";

const KINDS: ReadonlyMap<string, string> = new Map([
  ["ethereum_tx.ethereumTxHash", "hash"],
  ["ethereum.ethereumTxHash", "hash"],
  ["ethereum_tx.recipient", "recipient"],
  ["ethereum.recipient", "recipient"],
  ["message.sender", "sender"],
]);

/** The key for a composite key's text; undefined for what is not indexed. */
function keyOf(tag: string, text: string): string | undefined {
  const kind = KINDS.get(tag);
  return kind === undefined ? undefined : `${kind}/${text.toLowerCase()}`;
}

/** The keys of a transaction by its events. */
function keys({ events }: Pick<ExecTxResult, "events">): readonly string[] {
  const found = new Set<string>();
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) {
      const text = keyOf(`${type}.${key}`, value);
      if (text !== undefined) found.add(text);
    }
  }
  return [...found];
}

/** Keys of Ethereum transactions, for an engine's index. */
export const txKeys = { keys, keyOf };
