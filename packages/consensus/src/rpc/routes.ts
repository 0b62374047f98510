/** The consensus RPC's routes: arguments in CometBFT's order, what may be cached, and the handler. */
import { COMETBFT_VERSION } from "../application.ts";
import type { EmbeddedEngine } from "../engine.ts";
import { abciInfoResult, abciQueryResult, broadcastAsyncResult, broadcastSyncResult } from "./application-routes.ts";
import type { ArgumentSpec, ArgumentValue } from "./arguments.ts";
import {
  blockByHashResult,
  blockchainResult,
  blockResult,
  blockResultsResult,
  commitResult,
  consensusParamsResult,
  genesisResult,
  headerByHashResult,
  headerResult,
  statusResult,
  txResult,
  validatorsResult,
} from "./results.ts";
import { txSearchResult } from "./search.ts";

/** What handlers read. */
export interface RouteContext {
  readonly engine: Pick<EmbeddedEngine, "reads" | "latestHeight">;
  readonly rpcAddress: string;
  /** Address and port of who asks. */
  readonly client: string;
}

/** One route. The handler answers finished JSON text or throws RouteFailure. */
export interface Route {
  readonly args: readonly ArgumentSpec[];
  /** `height` = only when a height is given. */
  readonly cache: "never" | "always" | "height";
  readonly call: (context: RouteContext, args: readonly ArgumentValue[]) => string | Promise<string>;
}

const HEIGHT: ArgumentSpec = { name: "height", type: "int64" };
const TX: ArgumentSpec = { name: "tx", type: "bytes" };
const PAGE: ArgumentSpec = { name: "page", type: "int" };
const PER_PAGE: ArgumentSpec = { name: "per_page", type: "int" };
const NO_BYTES = new Uint8Array(0);

function int(value: ArgumentValue): bigint | undefined {
  return typeof value === "bigint" ? value : undefined;
}

function text(value: ArgumentValue): string {
  return typeof value === "string" ? value : "";
}

function bytes(value: ArgumentValue): Uint8Array {
  return value instanceof Uint8Array ? value : NO_BYTES;
}

/** Routes that are served. */
export const ROUTES: Readonly<Record<string, Route>> = {
  abci_info: {
    args: [],
    cache: "always",
    call: ({ engine }) => abciInfoResult(engine.reads.app, COMETBFT_VERSION),
  },
  abci_query: {
    args: [{ name: "path", type: "string" }, { name: "data", type: "hex" }, HEIGHT, { name: "prove", type: "bool" }],
    cache: "never",
    call: ({ engine }, [path, data, height, prove]) =>
      abciQueryResult(engine.reads.app, {
        path: text(path),
        data: bytes(data),
        height: int(height) ?? 0n,
        prove: prove === true,
      }),
  },
  broadcast_tx_async: {
    args: [TX],
    cache: "never",
    call: ({ engine }, [tx]) => broadcastAsyncResult(engine.reads, bytes(tx)),
  },
  broadcast_tx_sync: {
    args: [TX],
    cache: "never",
    call: ({ engine }, [tx]) => broadcastSyncResult(engine.reads, bytes(tx)),
  },
  health: { args: [], cache: "never", call: () => "{}" },
  status: { args: [], cache: "never", call: ({ engine, rpcAddress }) => statusResult(engine, rpcAddress) },
  genesis: { args: [], cache: "always", call: ({ engine }) => genesisResult(engine) },
  block: { args: [HEIGHT], cache: "height", call: ({ engine }, [height]) => blockResult(engine, int(height)) },
  block_by_hash: {
    args: [{ name: "hash", type: "bytes" }],
    cache: "always",
    call: ({ engine }, [hash]) => blockByHashResult(engine, bytes(hash)),
  },
  block_results: {
    args: [HEIGHT],
    cache: "height",
    call: ({ engine }, [height]) => blockResultsResult(engine, int(height)),
  },
  blockchain: {
    args: [
      { name: "minHeight", type: "int64" },
      { name: "maxHeight", type: "int64" },
    ],
    cache: "always",
    call: ({ engine }, [min, max]) => blockchainResult(engine, int(min) ?? 0n, int(max) ?? 0n),
  },
  commit: { args: [HEIGHT], cache: "height", call: ({ engine }, [height]) => commitResult(engine, int(height)) },
  consensus_params: {
    args: [HEIGHT],
    cache: "height",
    call: ({ engine }, [height]) => consensusParamsResult(engine, int(height)),
  },
  header: { args: [HEIGHT], cache: "height", call: ({ engine }, [height]) => headerResult(engine, int(height)) },
  header_by_hash: {
    args: [{ name: "hash", type: "hex" }],
    cache: "always",
    call: ({ engine }, [hash]) => headerByHashResult(engine, bytes(hash)),
  },
  tx: {
    args: [
      { name: "hash", type: "bytes" },
      { name: "prove", type: "bool" },
    ],
    cache: "always",
    call: ({ engine }, [hash, prove]) => txResult(engine, bytes(hash), prove === true),
  },
  tx_search: {
    args: [
      { name: "query", type: "string" },
      { name: "prove", type: "bool" },
      PAGE,
      PER_PAGE,
      { name: "order_by", type: "string" },
    ],
    cache: "never",
    call: ({ engine }, [query, prove, page, perPage, orderBy]) =>
      txSearchResult(engine, {
        query: text(query),
        prove: prove === true,
        page: int(page),
        perPage: int(perPage),
        orderBy: text(orderBy),
      }),
  },
  validators: {
    args: [HEIGHT, PAGE, PER_PAGE],
    cache: "height",
    call: ({ engine }, [height, page, perPage]) => validatorsResult(engine, int(height), int(page), int(perPage)),
  },
};

/** Routes of CometBFT that answer "method not found" with a reason here. */
export const NOT_SERVED: ReadonlySet<string> = new Set([
  "block_search",
  "broadcast_evidence",
  "broadcast_tx_commit",
  "check_tx",
  "consensus_state",
  "dump_consensus_state",
  "genesis_chunked",
  "net_info",
  "num_unconfirmed_txs",
  "unconfirmed_txs",
]);

/** Routes that CometBFT serves over WebSocket only. */
export const WEBSOCKET_ONLY: ReadonlySet<string> = new Set(["subscribe", "unsubscribe", "unsubscribe_all"]);

/** Whether a reply to these arguments never changes. */
export function isCacheable(route: Route, args: readonly ArgumentValue[]): boolean {
  if (route.cache !== "height") return route.cache === "always";
  const index = route.args.findIndex((spec) => spec.name === "height");
  return args[index] !== undefined && args[index] !== 0n;
}
