/** Owns the tables of namespaces that this node does not have, so that every catalogued name answers with a reason. */
import { refusedAll } from "../method.ts";

/** The `admin` namespace. */
export const admin = refusedAll(
  [
    ...(["admin_addPeer", "admin_datadir", "admin_nodeInfo", "admin_peers"] as const),
    ...(["admin_startRPC", "admin_startWS", "admin_stopRPC", "admin_stopWS"] as const),
  ],
  "unsupported: nodes are administered by their configuration, peers by the consensus engine",
);

/** The `clique` namespace. */
export const clique = refusedAll(
  [
    ...(["clique_getSnapshot", "clique_getSnapshotAtHash", "clique_getSigners", "clique_proposals"] as const),
    ...(["clique_propose", "clique_discard", "clique_status"] as const),
  ],
  "unsupported: this chain does not use clique; ask the consensus RPC for validators",
);

/** The `les` namespace. */
export const les = refusedAll(
  [
    ...(["les_serverInfo", "les_clientInfo", "les_priorityClientInfo", "les_addBalance"] as const),
    ...(["les_setClientParams", "les_setDefaultParams", "les_latestCheckpoint", "les_getCheckpoint"] as const),
    "les_getCheckpointContractAddress",
  ],
  "unsupported: there is no light-client protocol; headers and proofs are served over this interface",
);

/** The `db` namespace. */
export const db = refusedAll(
  ["db_putString", "db_getString", "db_putHex", "db_getHex"],
  "unsupported: the node's database is not a client's store",
);

/** The `shh` namespace. */
export const shh = refusedAll(
  [
    ...(["shh_post", "shh_version", "shh_newIdentity", "shh_hasIdentity", "shh_newGroup", "shh_addToGroup"] as const),
    ...(["shh_newFilter", "shh_uninstallFilter", "shh_getFilterChanges", "shh_getMessages"] as const),
  ],
  "unsupported: Whisper was discontinued",
);
