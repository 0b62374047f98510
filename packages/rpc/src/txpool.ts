/** Owns the handlers of `txpool`: the pool by sender (EIP-55) and nonce (decimal), as geth shows it. */
import type { Handlers, txpool } from "@cairn/api";
import type { Chain, PoolContent, PooledTx } from "@cairn/chain";
import { type Address, quantityToHex, toChecksumAddress } from "@cairn/primitives";
import { pooledTransaction } from "./pooled-json.ts";

type Show = (tx: PooledTx) => object | string;

function summary(tx: PooledTx): string {
  const target = tx.to === null ? "contract creation" : toChecksumAddress(tx.to);
  return `${target}: ${tx.valueWei} wei + ${tx.gas} gas × ${tx.maxFeePerGasWei} wei`;
}

function byNonce(txs: readonly PooledTx[], show: Show): object {
  return Object.fromEntries(txs.map((tx) => [tx.nonce.toString(), show(tx)]));
}

function bySender(content: PoolContent, show: Show): object {
  const entries: [Address, object][] = [];
  for (const [sender, txs] of content) entries.push([toChecksumAddress(sender), byNonce(txs, show)]);
  return Object.fromEntries(entries);
}

/** The handlers of `txpool`. */
export function txpoolHandlers(chain: Chain): Handlers<typeof txpool> {
  const contentJson = (show: Show): string => {
    const { pending, queued } = chain.pool.content();
    return JSON.stringify({ pending: bySender(pending, show), queued: bySender(queued, show) });
  };
  return {
    txpool_status: () => {
      const { pending, queued } = chain.pool.status();
      return JSON.stringify({ pending: quantityToHex(pending), queued: quantityToHex(queued) });
    },
    txpool_content: () => contentJson(pooledTransaction),
    txpool_inspect: () => contentJson(summary),
    txpool_contentFrom: ([address]) => {
      const { pending, queued } = chain.pool.contentFrom(address);
      return JSON.stringify({
        pending: byNonce(pending, pooledTransaction),
        queued: byNonce(queued, pooledTransaction),
      });
    },
  };
}
