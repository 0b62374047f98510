/**
 * Owns the catalogue of JSON-RPC errors: code, text and meaning of each. Texts are geth's where geth has the case, so
 * that clients which match on them work; `{name}` is filled in. Everything on the wire is made by `rpcError`.
 */
import { accountErrors } from "./account-errors.ts";
import { debugErrors } from "./debug-errors.ts";

interface CatalogueEntry {
  readonly code: number;
  readonly text: string;
  readonly when: string;
}

/** The catalogue, by name. */
export const rpcErrors = {
  "parse-error": { code: -32700, text: "parse error", when: "The message is no JSON." },
  "invalid-request": { code: -32600, text: "invalid request", when: "The message is no JSON-RPC 2.0 request." },
  "empty-batch": { code: -32600, text: "empty batch", when: "A batch without calls." },
  "batch-too-large": { code: -32600, text: "batch too large", when: "A batch of more than 1000 calls." },
  "unknown-method": {
    code: -32601,
    text: "the method {method} does not exist/is not available",
    when: "The name is unknown or its namespace is not enabled.",
  },
  "refused-method": {
    code: -32601,
    text: "the method {method} does not exist/is not available: {reason}",
    when: "The name is known and not served; the reason stands in the method reference.",
  },
  "no-notifications": {
    code: -32601,
    text: "notifications not supported",
    when: "A subscription over HTTP: it needs WebSocket.",
  },
  "unknown-subscription": {
    code: -32601,
    text: 'no "{kind}" subscription in eth namespace',
    when: "`eth_subscribe` of an unknown kind.",
  },
  "non-array-params": {
    code: -32602,
    text: "non-array args",
    when: "`params` is an object: parameters are positional.",
  },
  "missing-argument": {
    code: -32602,
    text: "missing value for required argument {index}",
    when: "A required parameter is absent or null.",
  },
  "too-many-arguments": {
    code: -32602,
    text: "too many arguments, want at most {most}",
    when: "More parameters than the method has.",
  },
  "invalid-argument": {
    code: -32602,
    text: "invalid argument {index}: {fault}",
    when: "A parameter is not of its form; the fault is named.",
  },
  "invalid-storage-key": {
    code: -32602,
    text: "{fault}",
    when: "A storage position that is no hex or above 32 bytes, or more than 1024 of them.",
  },
  "invalid-block-range": {
    code: -32602,
    text: "invalid block range params",
    when: "A log range that ends before it begins.",
  },
  "range-beyond-head": {
    code: -32602,
    text: "block range extends beyond current head block",
    when: "A log range that ends above the head.",
  },
  "request-beyond-head": {
    code: -32000,
    text: "request beyond head block: requested {requested}, head {head}",
    when: "`eth_feeHistory` of a block above the head.",
  },
  "invalid-percentile": {
    code: -32000,
    text: "invalid reward percentile: {fault}",
    when: "Percentiles outside 0 to 100, not ascending, or more than 100 of them.",
  },
  internal: { code: -32603, text: "internal error", when: "A fault of the node, logged there." },
  timeout: { code: -32002, text: "request timed out", when: "The call took longer than the node allows." },
  busy: {
    code: -32005,
    text: "the node is busy: too many slow calls are waiting",
    when: "Calls, log queries or block reads wait in line for too long; try again.",
  },
  "response-too-large": {
    code: -32003,
    text: "response too large",
    when: "The results of a batch exceed 25 MB.",
  },
  "too-many-filters": {
    code: -32005,
    text: "too many filters: at most {cap}",
    when: "The cap on installed filters or subscriptions is reached.",
  },
  "filters-too-large": {
    code: -32005,
    text: "too many addresses and topics in subscriptions: at most {most}",
    when: "The log subscriptions of a connection, or of all, name more addresses and topics than the node holds.",
  },
  "too-many-receipt-hashes": {
    code: -32602,
    text: "exceed max number of transaction hashes allowed per transactionReceipts subscription",
    when: "A `transactionReceipts` subscription that names more than 200 transactions.",
  },
  unauthorized: {
    code: 4100,
    text: "unauthorized",
    when: "A private method without a valid bearer token.",
  },
  reverted: {
    code: 3,
    text: "execution reverted{reason}",
    when: "The call reverted; `data` is the revert payload, also when empty.",
  },
  "header-not-found": { code: -32000, text: "header not found", when: "State of a block that does not exist." },
  "header-for-hash-not-found": {
    code: -32000,
    text: "header for hash not found",
    when: "State of a block hash that does not exist.",
  },
  "unknown-block": { code: -32000, text: "unknown block", when: "Logs of a block hash that does not exist." },
  "filter-not-found": { code: -32000, text: "filter not found", when: "No such filter, or it expired." },
  "wrong-filter": {
    code: -32000,
    text: "filter {id} doesn't have a LogsSubscription type: got {kind}",
    when: "`eth_getFilterLogs` of a filter that is no log filter (5 blocks, 4 pending transactions).",
  },
  "too-many-logs": {
    code: -32005,
    text: "query returned more than {most} results",
    when: "A log query with more results than the node returns.",
  },
  "pending-logs": {
    code: -32602,
    text: "pending logs are not supported",
    when: "A log query over the pending block.",
  },
  "transaction-not-found": {
    code: -32000,
    text: "transaction not found",
    when: "A trace of a transaction that is not committed.",
  },
  "block-number-not-found": {
    code: -32000,
    text: "block #{number} not found",
    when: "A trace of a height above the head.",
  },
  "block-hash-not-found": { code: -32000, text: "block {hash} not found", when: "A trace of an unknown block hash." },
  "bad-block-not-found": {
    code: -32000,
    text: "bad block {hash} not found",
    when: "A trace of a bad block: this node keeps none.",
  },
  "genesis-not-traceable": { code: -32000, text: "genesis is not traceable", when: "A trace of block 0." },
  "pending-not-traceable": {
    code: -32000,
    text: "tracing on top of pending is not supported",
    when: "A trace on the pending block.",
  },
  "undecodable-block": {
    code: -32000,
    text: "could not decode block: {fault}",
    when: "The bytes are no RLP of a block.",
  },
  "trace-range": {
    code: -32005,
    text: "too many blocks to trace: at most {most}",
    when: "`trace_filter` over a wider range.",
  },
  "trace-failed": {
    code: -32000,
    text: "{reason}",
    when: "A trace ended early: `execution timeout`, too large, a tracer's own error, or a message that cannot start.",
  },
  halted: { code: -32000, text: "{reason}", when: "Execution halted (out of gas, invalid opcode, …)." },
  "call-refused": {
    code: -32000,
    text: "{reason}",
    when: "A call could not start (funds, fee cap, intrinsic gas, …).",
  },
  "access-list-refused": {
    code: -32000,
    text: "failed to apply transaction: {reason}",
    when: "`eth_createAccessList` of a call that cannot start.",
  },
  "empty-simulation": { code: -32602, text: "empty input", when: "`eth_simulateV1` without blocks." },
  "empty-bundles": { code: -32602, text: "bundles are empty", when: "`eth_callMany` without bundles." },
  "too-many-calls": {
    code: -38026,
    text: "too many calls: at most {most}",
    when: "`eth_callMany` with more than 1000 calls in its bundles.",
  },
  "simulation-too-large": {
    code: -38026,
    text: "{fault}",
    when: "`eth_simulateV1` with more than 256 blocks, 5000 calls in a block or 10000 calls.",
  },
  "simulation-failed": {
    code: -32000,
    text: "{reason}",
    when: "`eth_simulateV1` stopped; the code is geth's: -38010 nonce too low, -38011 nonce too high, -38012 fee cap below the base fee, -38013 intrinsic gas, -38014 funds, -38015 block gas limit, -38020 block numbers, -38021 timestamps, -38025 init code size, -38026 too many blocks.",
  },
  "too-many-slots": { code: -38026, text: "too many slots (max {most})", when: "More than 1024 storage words asked." },
  "no-slots": { code: -32602, text: "empty request", when: "No storage word asked." },
  "not-in-time": {
    code: 4,
    text: "The transaction was added to the transaction pool but wasn't processed in {time}",
    when: "`eth_sendRawTransactionSync` waited long enough; `data` is the hash.",
  },
  "gas-allowance": {
    code: -32000,
    text: "gas required exceeds allowance ({allowance})",
    when: "`eth_estimateGas`: more gas is needed than the sender can pay or a block holds.",
  },
  "both-fee-styles": {
    code: -32000,
    text: "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified",
    when: "A call with both fee styles.",
  },
  "tip-above-fee-cap": {
    code: -32000,
    text: "maxFeePerGas ({maxFee}) < maxPriorityFeePerGas ({tip})",
    when: "The tip of a transaction to fill in or send exceeds its fee cap.",
  },
  "wrong-call-chain": {
    code: -32000,
    text: "chainId does not match node's (have={have}, want={want})",
    when: "A call object for another chain.",
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
  ...accountErrors,
  ...debugErrors,
  closing: { code: -32000, text: "the node is closing", when: "The node is stopping." },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Name of an error in the catalogue. */
export type RpcErrorName = keyof typeof rpcErrors;

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Filling = string | number | bigint;

/** What must be filled into an error's text. */
export type RpcErrorValues<N extends RpcErrorName> = {
  readonly [P in Placeholders<(typeof rpcErrors)[N]["text"]>]: Filling;
};

/** An error as it goes over the wire. `data` is finished JSON text. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function fill(text: string, values: Readonly<Record<string, Filling>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** An error of the catalogue with its text filled in. `data` is finished JSON text. */
export function rpcError<N extends RpcErrorName>(name: N, values: RpcErrorValues<N>, data?: string): RpcError {
  const { code, text } = rpcErrors[name];
  return new RpcError(code, fill(text, values), data);
}
