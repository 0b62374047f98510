import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type MethodEntry,
  methodTables,
  openRpcDocument,
  renderErrorReference,
  renderMethodReference,
  rpcErrors,
} from "./index.ts";

/** Every method name of the specification, by namespace, without the prefix. */
const SPECIFIED: Readonly<Record<string, string>> = {
  web3: "clientVersion sha3",
  net: "version peerCount listening",
  eth: `protocolVersion syncing gasPrice accounts blockNumber getBalance getStorageAt getTransactionCount
    getBlockTransactionCountByNumber getBlockTransactionCountByHash getCode coinbase getProof sign sendTransaction
    sendRawTransaction call estimateGas getBlockByNumber getBlockByHash getTransactionByHash
    getTransactionByBlockHashAndIndex getTransactionReceipt newFilter newBlockFilter newPendingTransactionFilter
    uninstallFilter getFilterChanges getFilterLogs getLogs subscribe unsubscribe getTransactionbyBlockNumberAndIndex
    submitHashrate getCompilers compileLLL compileSolidity compileSerpent signTransaction mining getWork submitWork
    hashrate getUncleCountByBlockHash getUncleCountByBlockNumber getUncleByBlockHashAndIndex
    getUncleByBlockNumberAndIndex chainId feeHistory maxPriorityFeePerGas blobBaseFee createAccessList getBlockReceipts
    getHeaderByNumber getHeaderByHash simulateV1 getRawTransactionByHash getRawTransactionByBlockHashAndIndex
    getRawTransactionByBlockNumberAndIndex sendRawTransactionSync fillTransaction signTypedData signTypedData_v3 signTypedData_v4 getStorageValues
    config callMany getTransactionBySenderAndNonce pendingTransactions getTransactionByBlockNumberAndIndex`,
  personal: `importRawKey listAccounts lockAccount newAccount unlockAccount sendTransaction sign ecRecover
    initializeWallet unpair listWallets openWallet signTransaction`,
  debug: `traceTransaction traceBlockByNumber backtraceAt blockProfile cpuProfile dumpBlock gcStats getBlockRlp goTrace
    freeOSMemory memStats mutexProfile seedHash setHead setBlockProfileRate setGCPercent setMutexProfileFraction stacks
    startCPUProfile startGoTrace stopCPUProfile stopGoTrace traceBlock traceBlockByHash traceBlockFromFile
    standardTraceBlockToFile standardTraceBadBlockToFile verbosity vmodule writeBlockProfile writeMemProfile
    writeMutexProfile traceCall getRawHeader getRawBlock getRawReceipts getRawTransaction`,
  miner: "getHashrate setExtra setGasPrice start stop setGasLimit setEtherbase",
  txpool: "content inspect status contentFrom",
  db: "putString getString putHex getHex",
  shh: `post version newIdentity hasIdentity newGroup addToGroup newFilter uninstallFilter getFilterChanges
    getMessages`,
  admin: "addPeer datadir nodeInfo peers startRPC startWS stopRPC stopWS",
  clique: "getSnapshot getSnapshotAtHash getSigners proposals propose discard status",
  les: `serverInfo clientInfo priorityClientInfo addBalance setClientParams setDefaultParams latestCheckpoint
    getCheckpoint getCheckpointContractAddress`,
  rpc: "modules discover",
};

const entries = (): [string, MethodEntry][] =>
  Object.values(methodTables).flatMap((table) => Object.entries<MethodEntry>(table));

test("every name of the specification has its row", () => {
  const tables: Readonly<Record<string, Readonly<Record<string, MethodEntry>>>> = methodTables;
  for (const [namespace, names] of Object.entries(SPECIFIED)) {
    for (const name of names.split(/\s+/)) {
      assert.ok(tables[namespace]?.[`${namespace}_${name}`], `${namespace}_${name}`);
    }
  }
});

test("rows stand under their namespace, have a sentence, and put optional parameters last", () => {
  for (const [namespace, table] of Object.entries(methodTables)) {
    for (const [name, entry] of Object.entries<MethodEntry>(table)) {
      assert.ok(name.startsWith(`${namespace}_`) || name === "rpc.discover", name);
      const sentence = entry.kind === "refused" ? entry.reason : entry.summary;
      assert.ok(sentence.length > 5 && !sentence.includes("\n"), name);
      if (entry.kind === "refused") continue;
      const firstOptional = entry.params.findIndex((param) => param.optional);
      if (firstOptional >= 0)
        assert.ok(
          entry.params.slice(firstOptional).every((param) => param.optional),
          name,
        );
      if (namespace === "miner" || namespace === "personal") assert.equal(entry.access, "private", name);
    }
  }
});

test("documents name every method and every error", () => {
  const page = renderMethodReference();
  for (const [name] of entries()) assert.ok(page.includes(`| \`${name}\` |`), name);
  const errors = renderErrorReference();
  for (const name of Object.keys(rpcErrors)) assert.ok(errors.includes(`| ${name} |`), name);
  const document: unknown = JSON.parse(JSON.stringify(openRpcDocument(methodTables, "0.1.0")));
  const served = entries().filter(([, entry]) => entry.kind !== "refused").length;
  assert.equal((document as { methods: unknown[] }).methods.length, served);
});
