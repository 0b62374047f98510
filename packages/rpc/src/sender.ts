/**
 * Owns sending transactions of the node's own accounts: completed, signed and pooled one after the other per sender, so
 * that each gets the next nonce.
 */
import { rpcError, type TransactionParam } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import type { SignedTransaction, UnsignedTransaction } from "@cairn/keystore";
import type { Address, Hash } from "@cairn/primitives";
import { checkFeeCap, sendRaw } from "./eth-send.ts";
import { checkTransaction, fillTransaction } from "./fill-transaction.ts";
import type { RpcSettings } from "./options.ts";

/** Signs one completed transaction. */
export type Sign = (tx: UnsignedTransaction) => Promise<SignedTransaction>;

/** Sends and signs transaction objects. */
export interface Sender {
  /** The hash once the pool took it. Throws `RpcError`. */
  send(tx: TransactionParam, sign: Sign): Promise<Hash>;
  /** The transaction as it would be signed, with estimated gas where none is given. Throws `RpcError`. */
  fill(tx: TransactionParam): Promise<UnsignedTransaction>;
  /** Signs a transaction that names its gas, fees and nonce. Throws `RpcError`. */
  sign(tx: TransactionParam, sign: Sign): Promise<SignedTransaction>;
}

/** Most sends of one sender that wait for each other. */
const MAX_WAITING = 1024;

interface Line {
  readonly last: Promise<unknown>;
  readonly waiting: number;
}

/** A sender over a chain. */
export function createSender(chain: Chain, settings: RpcSettings, suggestTip: () => Promise<bigint>): Sender {
  const lines = new Map<Address, Line>();
  const inLine = async <T>(from: Address, task: () => Promise<T>): Promise<T> => {
    const { last = Promise.resolve(), waiting = 0 } = lines.get(from) ?? {};
    if (waiting >= MAX_WAITING) throw rpcError("busy", {});
    const done = last.then(task);
    lines.set(from, { last: done.catch(() => undefined), waiting: waiting + 1 });
    try {
      return await done;
    } finally {
      const line = lines.get(from);
      if (line === undefined || line.waiting <= 1) lines.delete(from);
      else lines.set(from, { ...line, waiting: line.waiting - 1 });
    }
  };
  const fill = (tx: TransactionParam) => fillTransaction(chain, { ...settings, suggestTip }, tx);
  return {
    send: (tx, sign) =>
      inLine(tx.from, async () => {
        const { raw } = await sign(await fill(tx));
        chain.addLocal(tx.from);
        return sendRaw(chain, settings, raw);
      }),
    fill: (tx) => fillTransaction(chain, { ...settings, suggestTip, estimateGas: true }, tx),
    async sign(tx, sign) {
      checkComplete(tx);
      checkTransaction(chain, tx);
      const signed = await sign(await fill(tx));
      if (settings.txFeeCapWei > 0n) checkFeeCap(signed.raw, settings.txFeeCapWei);
      return signed;
    },
  };
}

function checkComplete({ gas, nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas }: TransactionParam): void {
  if (gas === undefined) throw rpcError("gas-not-specified", {});
  if (gasPrice === undefined && (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined)) {
    throw rpcError("fee-not-specified", {});
  }
  if (nonce === undefined) throw rpcError("nonce-not-specified", {});
}
