/** Owns serving Ethereum JSON-RPC: tables, handlers, dispatcher, operator check and listeners put together. */

import type { ListenAddress } from "@cairn/api";
import { createDispatcher, methodTables } from "@cairn/api";
import type { Chain, Log } from "@cairn/chain";
import { createJsonRpcServer, type JsonRpcServer, type Limits } from "@cairn/jsonrpc";
import type { Keystore } from "@cairn/keystore";
import { createHandlers, type LogLevel, type RpcOptions, type SyncStatus } from "@cairn/rpc";
import type { NodeConfig } from "./config/schema.ts";
import { nameListener } from "./listen-error.ts";
import { isOperator, type OperatorSecrets } from "./operator-auth.ts";
import { CLIENT_VERSION } from "./version.ts";

/** What is served where. */
export interface JsonRpcOptions {
  readonly chain: Chain;
  readonly http?: ListenAddress;
  readonly ws?: ListenAddress;
  readonly namespaces: readonly string[];
  readonly config: NodeConfig;
  readonly secrets: OperatorSecrets;
  readonly keystore: Keystore;
  /** Key of the validator's operator, where the home holds it. */
  readonly operatorKey?: Uint8Array;
  readonly saveMinGasPrice: (wei: bigint) => Promise<void>;
  /** 20-byte consensus address of this node's validator. */
  readonly validatorAddress: Uint8Array;
  /** How far the chain is behind what the consensus engine decided; `false` when it is not. */
  readonly syncing: () => SyncStatus | false;
  /** Peers the consensus engine is connected to. */
  readonly peerCount: () => number;
  readonly log: Log;
  /** Directory of debug files. */
  readonly debugDir: string;
  readonly setLogLevel?: (level: LogLevel) => void;
}

/** Starts the listeners. Rejects with `NodeError` naming the flag of one that cannot be opened. */
export async function serveJsonRpc(o: JsonRpcOptions): Promise<JsonRpcServer> {
  const { http, ws, namespaces, config, secrets, log } = o;
  const handlers = createHandlers(o.chain, rpcOptions(o));
  const dispatch = createDispatcher({
    tables: methodTables,
    handlers,
    namespaces,
    // A header that reaches a call was checked when the request, or the WebSocket's upgrade, came in.
    authorize: (context) => context.authorization !== undefined,
    onFault: (error, method) => log.error({ err: error, method }, "a handler failed"),
  });
  try {
    const server = await createJsonRpcServer({
      ...(http === undefined ? {} : { http }),
      ...(ws === undefined ? {} : { ws }),
      dispatch,
      authenticate: (header) => isOperator(header, secrets),
      limits: limitsOf(config),
      origins: config["json-rpc.ws-origins"],
      vhosts: config["json-rpc.vhosts"],
      log,
    });
    return { ...server, close: () => server.close().finally(() => handlers.close()) };
  } catch (error) {
    handlers.close();
    throw nameListener(error, [
      ...(http === undefined ? [] : [{ flag: "--json-rpc.address", address: http }]),
      ...(ws === undefined ? [] : [{ flag: "--json-rpc.ws-address", address: ws }]),
    ]);
  }
}

function rpcOptions(o: JsonRpcOptions): RpcOptions {
  const { config } = o;
  return {
    clientVersion: CLIENT_VERSION,
    namespaces: o.namespaces,
    consensusAddress: o.validatorAddress,
    txFeeCapWei: config["json-rpc.txfee-cap"],
    gasCap: BigInt(config["json-rpc.gas-cap"]),
    evmTimeoutMs: config["json-rpc.evm-timeout"],
    feeHistoryCap: config["json-rpc.feehistory-cap"],
    allowUnprotectedTxs: config["json-rpc.allow-unprotected-txs"],
    powFields: config["json-rpc.pow-fields"],
    syncing: o.syncing,
    peerCount: o.peerCount,
    logsCap: config["json-rpc.logs-cap"],
    keystore: o.keystore,
    allowInsecureUnlock: config["json-rpc.allow-insecure-unlock"],
    estimateGas: config["json-rpc.estimate-gas"],
    priceBump: BigInt(config["txpool.price-bump"]),
    saveMinGasPrice: o.saveMinGasPrice,
    debugDir: o.debugDir,
    ...(o.setLogLevel === undefined ? {} : { setLogLevel: o.setLogLevel }),
    ...(o.operatorKey === undefined ? {} : { operatorKey: o.operatorKey }),
  };
}

function limitsOf(config: NodeConfig): Partial<Limits> {
  return {
    bodyBytes: config["json-rpc.http-body-limit"],
    batchItems: config["json-rpc.batch-request-limit"],
    batchResponseBytes: config["json-rpc.batch-response-max-size"],
    readTimeoutMs: config["json-rpc.http-timeout"],
    callTimeoutMs: config["json-rpc.http-timeout"],
    idleTimeoutMs: config["json-rpc.http-idle-timeout"],
    connections: config["json-rpc.max-open-connections"],
  };
}
