/** Owns the tables of `web3`, `net` and `rpc`. */
import { data } from "../codecs.ts";
import { method, required } from "../method.ts";
import { results } from "../shapes.ts";

const SPEC = "chain-node: Web3 and Net";

/** The `web3` namespace. */
export const web3 = {
  web3_clientVersion: method({
    params: [],
    result: results.string,
    summary: "Name, version, system and runtime of the node.",
    spec: SPEC,
  }),
  web3_sha3: method({
    params: [required("input", data)],
    result: results.hash,
    summary: "Keccak-256 of the decoded bytes.",
    spec: SPEC,
  }),
};

/** The `net` namespace. */
export const net = {
  net_version: method({ params: [], result: results.string, summary: "The chain id as decimal text.", spec: SPEC }),
  net_peerCount: method({ params: [], result: results.integer, summary: "Connected peers, as a number.", spec: SPEC }),
  net_listening: method({
    params: [],
    result: results.boolean,
    summary: "Whether the node takes connections of peers.",
    spec: SPEC,
  }),
};

/** The `rpc` namespace, which is always served. */
export const rpc = {
  rpc_modules: method({
    params: [],
    result: results.modules,
    summary: "The namespaces served and their versions.",
    spec: "geth",
  }),
  rpc_discover: method({
    params: [],
    result: results.openRpc,
    summary: "The OpenRPC document of the methods served; also under OpenRPC's own spelling rpc.discover.",
    spec: "OpenRPC",
  }),
  "rpc.discover": method({
    params: [],
    result: results.openRpc,
    summary: "The same as rpc_discover.",
    spec: "OpenRPC",
  }),
};
