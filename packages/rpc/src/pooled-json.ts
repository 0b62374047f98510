/** Owns the transaction object of a pooled transaction: block fields null, `gasPrice` the fee cap. */
import type { PooledTx } from "@cairn/chain";
import { bytesToHex, decodeTransaction, type Hash, quantityToHex, type Transaction } from "@cairn/primitives";

function feeFields(tx: Transaction): object {
  if (tx.type === 0 || tx.type === 1) return { gasPrice: quantityToHex(tx.gasPriceWei) };
  return {
    gasPrice: quantityToHex(tx.maxFeePerGasWei),
    maxFeePerGas: quantityToHex(tx.maxFeePerGasWei),
    maxPriorityFeePerGas: quantityToHex(tx.maxPriorityFeePerGasWei),
  };
}

function typedFields(tx: Transaction): object {
  if (tx.type === 0) return tx.chainId === undefined ? {} : { chainId: quantityToHex(tx.chainId) };
  const fields = { accessList: tx.accessList, chainId: quantityToHex(tx.chainId) };
  if (tx.type !== 4) return fields;
  const authorizationList = tx.authorizationList.map((item) => ({
    chainId: quantityToHex(item.chainId),
    address: item.address,
    nonce: quantityToHex(item.nonce),
    yParity: quantityToHex(item.yParity),
    r: quantityToHex(item.r),
    s: quantityToHex(item.s),
  }));
  return { ...fields, authorizationList };
}

function signatureFields(tx: Transaction): object {
  const rs = { r: quantityToHex(tx.r), s: quantityToHex(tx.s) };
  if (tx.type === 0) return { v: quantityToHex(tx.v), ...rs };
  return { v: quantityToHex(tx.yParity), ...rs, yParity: quantityToHex(tx.yParity) };
}

/** The transaction object of a transaction that is signed and not sent, as geth shows it. */
export function signedTransaction(tx: Transaction, hash: Hash): object {
  return {
    type: quantityToHex(tx.type),
    nonce: quantityToHex(tx.nonce),
    to: tx.to,
    gas: quantityToHex(tx.gasLimit),
    ...feeFields(tx),
    ...(tx.type === 2 || tx.type === 4 ? { gasPrice: null } : { maxFeePerGas: null, maxPriorityFeePerGas: null }),
    value: quantityToHex(tx.valueWei),
    input: bytesToHex(tx.data),
    ...typedFields(tx),
    // A transaction without type carries its chain in its signature.
    ...(tx.type === 0 && tx.v < 35n ? { chainId: undefined } : {}),
    ...signatureFields(tx),
    hash,
  };
}

/** The transaction object of a pooled transaction as plain data. */
export function pooledTransaction(pooled: PooledTx): object {
  const tx = decodeTransaction(pooled.raw);
  return {
    blockHash: null,
    blockNumber: null,
    from: pooled.sender,
    gas: quantityToHex(tx.gasLimit),
    ...feeFields(tx),
    hash: pooled.hash,
    input: bytesToHex(tx.data),
    nonce: quantityToHex(tx.nonce),
    to: tx.to,
    transactionIndex: null,
    value: quantityToHex(tx.valueWei),
    type: quantityToHex(tx.type),
    ...typedFields(tx),
    ...signatureFields(tx),
  };
}
