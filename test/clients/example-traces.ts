/** The example calls of the methods that look into the past: `debug`, `trace`, `ots`. */
import { type Hex, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** What the calls name: a call of a contract, its block, its sender, who has sent two transactions so far. */
export interface TraceScene {
  readonly account: Hex;
  readonly key: Hex;
  readonly contract: Hex;
  readonly transaction: Hex;
  readonly blockHash: Hex;
  readonly block: Hex;
}

type Calls = Readonly<Record<string, readonly unknown[]>>;

const CALL_TRACER = { tracer: "callTracer" };
const FIRST = `0x${"0".repeat(64)}`;

function debugCalls({ account, contract, transaction, blockHash, block }: TraceScene): Calls {
  const call = { from: account, to: contract, data: "0x3fa4f245" };
  return {
    debug_traceTransaction: [transaction, CALL_TRACER],
    debug_traceBlockByNumber: [block, CALL_TRACER],
    debug_traceBlockByHash: [blockHash, CALL_TRACER],
    debug_traceCall: [call, "latest", CALL_TRACER],
    debug_accountRange: ["latest", FIRST, 2, true, true, false],
    debug_storageRangeAt: [blockHash, 0, contract, FIRST, 10],
    debug_getModifiedAccountsByNumber: [Number(block)],
    debug_getModifiedAccountsByHash: [blockHash],
    debug_preimage: [keccak256(contract)],
    debug_getBlockRlp: [Number(block)],
    debug_printBlock: [Number(block)],
    debug_getBadBlocks: [],
    debug_freeOSMemory: [],
    debug_memStats: [],
    debug_gcStats: [],
    debug_verbosity: [1],
    debug_startCPUProfile: ["example.cpuprofile"],
    debug_stopCPUProfile: [],
    debug_startGoTrace: ["example.json"],
    debug_stopGoTrace: [],
  };
}

function parityCalls({ account, contract, transaction, block }: TraceScene, raw: Hex): Calls {
  const call = { from: account, to: contract, data: "0x3fa4f245" };
  return {
    trace_transaction: [transaction],
    trace_get: [transaction, []],
    trace_block: [block],
    trace_filter: [{ fromBlock: block, toBlock: block, toAddress: [contract], count: 10 }],
    trace_call: [call, ["trace"], "latest"],
    trace_callMany: [[[call, ["trace"]]], "latest"],
    trace_rawTransaction: [raw, ["trace"]],
    trace_replayTransaction: [transaction, ["trace"]],
    trace_replayBlockTransactions: [block, ["trace"]],
  };
}

function otterscanCalls({ account, contract, transaction, blockHash, block }: TraceScene): Calls {
  return {
    ots_getApiLevel: [],
    ots_hasCode: [contract, "latest"],
    ots_getHeaderByNumber: [block],
    ots_getBlockDetails: [block],
    ots_getBlockDetailsByHash: [blockHash],
    ots_getBlockTransactions: [block, 0, 5],
    ots_getTransactionError: [transaction],
    ots_traceTransaction: [transaction],
    ots_getInternalOperations: [transaction],
    ots_getTransactionBySenderAndNonce: [account, 1],
    ots_getContractCreator: [contract],
    ots_searchTransactionsBefore: [account, 0, 2],
    ots_searchTransactionsAfter: [account, 0, 2],
  };
}

/** All of them, with their parameters. */
export async function traceCalls(scene: TraceScene, chainId: number): Promise<Calls> {
  const next = { type: "eip1559", chainId, nonce: 2, to: scene.contract, data: "0x3fa4f245", gas: 100_000n } as const;
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const raw = await privateKeyToAccount(scene.key).signTransaction({ ...next, ...fees });
  return { ...debugCalls(scene), ...parityCalls(scene, raw), ...otterscanCalls(scene) };
}
