/** Owns the table of `miner`, whose methods are private. */
import { address, dataUpTo, quantity } from "../codecs.ts";
import { constant, method, required } from "../method.ts";
import { results } from "../shapes.ts";
import { gasPrice } from "../transaction-object.ts";

const SPEC = "chain-node: Miner";
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
  miner_setGasPrice: method({
    params: [required("gasPrice", gasPrice)],
    result: results.boolean,
    access,
    summary:
      "Writes minimum-gas-prices into app.toml; the next start takes it, unless a flag or the environment sets another.",
    spec: SPEC,
  }),
  miner_setEtherbase: method({
    params: [required("address", address)],
    result: results.boolean,
    access,
    errors: ["not-a-validator", "operator-key-needed", "registry-refused", "not-included"],
    summary:
      "Registers who receives the fees of this validator's blocks, by a transaction of its operator; true once included.",
    spec: SPEC,
  }),
};
