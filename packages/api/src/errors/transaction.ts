/** Owns the errors in the catalogue that are about transactions that are sent: their encoding, their rules, the pool. */

/** Errors of raw transactions. */
export const transactionErrors = {
  "not-in-time": {
    code: 4,
    text: "The transaction was added to the transaction pool but wasn't processed in {time}",
    when: "`eth_sendRawTransactionSync` waited long enough; `data` is the hash.",
  },
  "tip-above-fee-cap": {
    code: -32000,
    text: "maxFeePerGas ({maxFee}) < maxPriorityFeePerGas ({tip})",
    when: "The tip of a transaction to fill in or send exceeds its fee cap.",
  },
  "undecodable-transaction": {
    code: -32000,
    text: "rlp: transaction cannot be decoded",
    when: "The raw transaction is no EIP-2718 encoding.",
  },
  "transaction-too-short": {
    code: -32000,
    text: "typed transaction too short",
    when: "The raw transaction is empty, or a type and nothing else.",
  },
  "unsupported-transaction-type": {
    code: -32000,
    text: "transaction type not supported",
    when: "A type other than 0, 1, 2 and 4; blob transactions are not supported.",
  },
  "wrong-chain-id": {
    code: -32000,
    text: "invalid sender: invalid chain id for signer: have {have} want {want}",
    when: "The transaction is signed for another chain.",
  },
  unprotected: {
    code: -32000,
    text: "only replay-protected (EIP-155) transactions allowed over RPC",
    when: "A legacy transaction signed for no chain.",
  },
  "invalid-sender": { code: -32000, text: "invalid sender", when: "The signature is not valid." },
  "intrinsic-gas": {
    code: -32000,
    text: "intrinsic gas too low: gas {have}, minimum needed {want}",
    when: "The gas limit does not cover the intrinsic gas.",
  },
  "floor-gas": {
    code: -32000,
    text: "insufficient gas for floor data gas cost: gas {have}, minimum needed {want}",
    when: "The gas limit does not cover what the transaction's data costs at least (EIP-7623).",
  },
  "block-gas-limit": { code: -32000, text: "exceeds block gas limit", when: "The gas limit exceeds that of a block." },
  "initcode-too-large": {
    code: -32000,
    text: "max initcode size exceeded: code size {have} limit {want}",
    when: "Creation code above 49,152 bytes.",
  },
  "tip-above-cap-transaction": {
    code: -32000,
    text: "max priority fee per gas higher than max fee per gas",
    when: "The transaction's tip exceeds its fee cap.",
  },
  oversized: { code: -32000, text: "oversized data: transaction size {have}, limit {want}", when: "Above 1 MiB." },
  "empty-authorization-list": {
    code: -32000,
    text: "set code tx must have at least one authorization tuple",
    when: "A type 4 transaction without authorizations.",
  },
  "already-known": { code: -32000, text: "already known", when: "The transaction is in the pool." },
  "nonce-too-low": {
    code: -32000,
    text: "nonce too low: next nonce {next}, tx nonce {got}",
    when: "The nonce is used up.",
  },
  "insufficient-funds": {
    code: -32000,
    text: "insufficient funds for gas * price + value: balance {balance}, tx cost {cost}, overshot {overshot}",
    when: "The sender cannot pay the transaction.",
  },
  "insufficient-funds-queued": {
    code: -32000,
    text: "insufficient funds for gas * price + value: balance {balance}, queued cost {queued}, tx cost {cost}, overshot {overshot}",
    when: "The sender cannot pay it together with its pooled transactions.",
  },
  "below-minimum": {
    code: -32000,
    text: "transaction gas price below minimum: gas tip cap {got}, minimum needed {minimum}",
    when: "The tip is under the node's minimum gas price.",
  },
  "replacement-underpriced": {
    code: -32000,
    text: "replacement transaction underpriced",
    when: "A replacement must raise fee cap and tip by 10 %.",
  },
  underpriced: { code: -32000, text: "transaction underpriced", when: "The pool is full of dearer transactions." },
  "pool-full": { code: -32000, text: "txpool is full", when: "The pool is full and nothing can make room." },
  "future-replaces-pending": {
    code: -32000,
    text: "future transaction tries to replace pending",
    when: "The pool is full and a gapped transaction may not evict an executable one.",
  },
  "in-flight-limit": {
    code: -32000,
    text: "in-flight transaction limit reached for delegated accounts",
    when: "An account delegated by EIP-7702, or about to be, has an executable transaction pooled already.",
  },
  "delegated-gap": {
    code: -32000,
    text: "gapped-nonce tx from delegated accounts",
    when: "An account delegated by EIP-7702, or about to be, must use its next nonce.",
  },
  "authority-reserved": {
    code: -32000,
    text: "authority already reserved",
    when: "An authorization is by an account with more than one pooled transaction.",
  },
  "fee-cap": {
    code: -32000,
    text: "tx fee ({fee} ether) exceeds the configured cap ({cap} ether)",
    when: "The fee a raw transaction may cost exceeds the node's cap.",
  },
} as const;
