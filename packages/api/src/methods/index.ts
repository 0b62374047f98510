/** Owns the set of all JSON-RPC tables, and which namespaces an operator may enable. */
import { debug } from "./debug.ts";
import { eth } from "./eth.ts";
import { miner } from "./miner.ts";
import { net, rpc, web3 } from "./node-info.ts";
import { ots } from "./ots.ts";
import { personal } from "./personal.ts";
import { trace } from "./trace.ts";
import { txpool } from "./txpool.ts";
import { admin, clique, db, les, shh } from "./unsupported.ts";

/** Every JSON-RPC method name, by namespace. */
export const methodTables = {
  ...{ eth, net, web3, txpool, debug, personal, miner, rpc },
  ...{ trace, ots, admin, clique, les, db, shh },
} as const;

/** Namespaces that `--json-rpc.api` may name. */
export const SUPPORTED_NAMESPACES = [
  "eth",
  "net",
  "web3",
  "txpool",
  "debug",
  "personal",
  "miner",
  "trace",
  "ots",
] as const;

/** Namespaces served when none are named. */
export const DEFAULT_NAMESPACES = ["eth", "net", "web3"] as const;
