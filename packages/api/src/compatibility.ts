/**
 * Owns what other nodes make of the method names: data behind the compatibility page. geth is go-ethereum 1.17, evmd the
 * Cosmos EVM example chain. Every name of the tables is listed; what this node does stands there.
 */

/** Whether a node has a method: all of it, in part or as a stub, or not at all. */
export type Support = "yes" | "part" | "no";

type Row = readonly [names: string, geth: Support, evmd: Support];

const prefixed = (prefix: string, names: string): string =>
  names
    .split(" ")
    .map((name) => `${prefix}_${name}`)
    .join(" ");

/** What every Ethereum node has. */
const CORE = [
  prefixed("eth", "blockNumber syncing gasPrice accounts getBalance getCode getStorageAt getTransactionCount call"),
  prefixed("eth", "estimateGas getBlockByNumber getBlockByHash getBlockTransactionCountByNumber"),
  prefixed("eth", "getBlockTransactionCountByHash getTransactionByHash getTransactionByBlockHashAndIndex"),
  prefixed("eth", "getTransactionByBlockNumberAndIndex getTransactionReceipt sendRawTransaction getLogs newFilter"),
  prefixed("eth", "newBlockFilter newPendingTransactionFilter getFilterChanges getFilterLogs uninstallFilter"),
  prefixed("eth", "subscribe unsubscribe"),
  "net_version net_peerCount net_listening web3_clientVersion web3_sha3",
].join(" ");

const ROWS: readonly Row[] = [
  [CORE, "yes", "yes"],
  ["eth_chainId eth_feeHistory eth_maxPriorityFeePerGas eth_createAccessList", "yes", "yes"],
  ["eth_getBlockReceipts eth_getHeaderByNumber eth_getHeaderByHash eth_fillTransaction", "yes", "yes"],
  ["eth_blobBaseFee eth_simulateV1 eth_pendingTransactions eth_signTransaction", "yes", "no"],
  ["eth_sendRawTransactionSync eth_getStorageValues eth_config", "yes", "no"],
  ["eth_getRawTransactionByHash eth_getRawTransactionByBlockHashAndIndex", "yes", "no"],
  ["eth_getRawTransactionByBlockNumberAndIndex", "yes", "no"],
  ["eth_signTypedData eth_signTypedData_v3 eth_signTypedData_v4", "no", "part"],
  ["eth_getProof", "yes", "part"],
  ["eth_callMany eth_getTransactionBySenderAndNonce eth_sendRawTransactionConditional", "no", "no"],
  ["eth_protocolVersion", "no", "yes"],
  ["eth_coinbase eth_mining eth_hashrate", "no", "no"],
  ["rpc_modules", "yes", "yes"],
  [prefixed("txpool", "content inspect status contentFrom"), "yes", "yes"],
  [prefixed("debug", "traceTransaction traceCall traceBlockByNumber traceBlockByHash"), "yes", "yes"],
  ["debug_getRawBlock", "yes", "yes"],
  [prefixed("debug", "getRawHeader getRawReceipts getRawTransaction storageRangeAt accountRange"), "yes", "no"],
  [prefixed("debug", "traceBlock printBlock memStats gcStats freeOSMemory stacks cpuProfile"), "yes", "yes"],
  [prefixed("debug", "startCPUProfile stopCPUProfile writeMemProfile goTrace startGoTrace stopGoTrace"), "yes", "yes"],
  [prefixed("debug", "blockProfile setBlockProfileRate writeBlockProfile mutexProfile"), "yes", "yes"],
  [prefixed("debug", "setMutexProfileFraction writeMutexProfile setGCPercent"), "yes", "yes"],
  [prefixed("debug", "traceBlockFromFile traceBadBlock getBadBlocks standardTraceBlockToFile"), "yes", "no"],
  [prefixed("debug", "standardTraceBadBlockToFile dumpBlock verbosity vmodule setHead setMemoryLimit"), "yes", "no"],
  [prefixed("debug", "chaindbProperty chaindbCompact dbGet dbAncient dbAncients"), "yes", "no"],
  [prefixed("debug", "getModifiedAccountsByNumber getModifiedAccountsByHash preimage"), "yes", "no"],
  ["debug_getBlockRlp", "no", "yes"],
  ["debug_backtraceAt debug_seedHash", "no", "no"],
  [prefixed("trace", "call callMany rawTransaction replayBlockTransactions replayTransaction block"), "no", "no"],
  [prefixed("trace", "filter get transaction"), "no", "no"],
  [prefixed("ots", "getApiLevel getInternalOperations getTransactionError traceTransaction hasCode"), "no", "no"],
  [prefixed("ots", "getBlockDetails getBlockDetailsByHash getBlockTransactions searchTransactionsBefore"), "no", "no"],
  [prefixed("ots", "searchTransactionsAfter getTransactionBySenderAndNonce getContractCreator"), "no", "no"],
  [prefixed("admin", "addPeer datadir nodeInfo peers"), "yes", "no"],
  // The catalogue's names: what left geth with proof of work, with its key store, or long before.
  [
    "eth_getTransactionbyBlockNumberAndIndex eth_submitWork eth_submitHashrate eth_getWork eth_getCompilers",
    "no",
    "no",
  ],
  ["eth_compileLLL eth_compileSolidity eth_compileSerpent", "no", "no"],
  [prefixed("eth", "getUncleCountByBlockHash getUncleCountByBlockNumber"), "yes", "part"],
  [prefixed("eth", "getUncleByBlockHashAndIndex getUncleByBlockNumberAndIndex"), "yes", "part"],
  ["eth_sign eth_sendTransaction", "yes", "yes"],
  [prefixed("personal", "listAccounts newAccount importRawKey"), "no", "yes"],
  [prefixed("personal", "unlockAccount lockAccount sendTransaction sign ecRecover listWallets"), "no", "part"],
  [prefixed("personal", "initializeWallet unpair"), "no", "part"],
  [prefixed("personal", "signTransaction signAndSendTransaction openWallet deriveAccount"), "no", "no"],
  [prefixed("miner", "setGasPrice"), "yes", "yes"],
  [prefixed("miner", "setExtra setGasLimit"), "yes", "part"],
  [prefixed("miner", "getHashrate setEtherbase"), "no", "yes"],
  [prefixed("miner", "start stop"), "no", "part"],
  ["rpc_discover rpc.discover ots_getHeaderByNumber", "no", "no"],
  [prefixed("admin", "startRPC startWS stopRPC stopWS"), "yes", "no"],
  [prefixed("clique", "getSnapshot getSnapshotAtHash getSigners proposals propose discard status"), "no", "no"],
  [prefixed("les", "serverInfo clientInfo priorityClientInfo addBalance setClientParams setDefaultParams"), "no", "no"],
  [prefixed("les", "latestCheckpoint getCheckpoint getCheckpointContractAddress"), "no", "no"],
  [prefixed("db", "putString getString putHex getHex"), "no", "no"],
  [prefixed("shh", "post version newIdentity hasIdentity newGroup addToGroup"), "no", "no"],
  [prefixed("shh", "newFilter uninstallFilter getFilterChanges getMessages"), "no", "no"],
];

/** The other nodes' support by full method name. */
export const otherNodes: ReadonlyMap<string, { readonly geth: Support; readonly evmd: Support }> = new Map(
  ROWS.flatMap(([names, geth, evmd]) => names.split(" ").map((name) => [name, { geth, evmd }] as const)),
);
