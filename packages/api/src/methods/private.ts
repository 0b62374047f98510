/** Owns the tables of `personal` and `miner`, whose methods are private. */
import { dataUpTo, quantity } from "../codecs.ts";
import { constant, refused, refusedAll, required } from "../method.ts";

const NO_KEYSTORE = "not yet: the key store is not part of this version";

/** The `personal` namespace. */
export const personal = refusedAll(
  [
    ...(["personal_importRawKey", "personal_listAccounts", "personal_lockAccount", "personal_newAccount"] as const),
    ...(["personal_unlockAccount", "personal_sendTransaction", "personal_sign", "personal_ecRecover"] as const),
    ...(["personal_initializeWallet", "personal_unpair"] as const),
  ],
  NO_KEYSTORE,
);

const access = "private";

/** The `miner` namespace. */
export const miner = {
  miner_getHashrate: constant({ value: 0, access, summary: "There is no proof of work on this chain." }),
  miner_setExtra: constant({
    value: false,
    access,
    params: [required("data", dataUpTo(32))],
    summary: "Unsupported: extraData is the consensus block hash.",
  }),
  miner_start: constant({
    value: false,
    access,
    params: [required("threads", quantity)],
    summary: "Unsupported: validators propose by themselves.",
  }),
  miner_stop: constant({ value: null, access, summary: "Does nothing." }),
  miner_setGasLimit: constant({
    value: false,
    access,
    params: [required("gasLimit", quantity)],
    summary: "Unsupported: the gas limit is a chain parameter.",
  }),
  miner_setGasPrice: refused("not yet: set the minimum gas price in app.toml and restart the node"),
  miner_setEtherbase: refused("not yet: the etherbase is set in the genesis in this version"),
};
