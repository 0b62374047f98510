/** Owns the table of `txpool`. */
import { address } from "../codecs.ts";
import { method, required } from "../method.ts";
import { results } from "../shapes.ts";

const SPEC = "chain-node: TxPool";

/** The `txpool` namespace. */
export const txpool = {
  txpool_status: method({
    params: [],
    result: results.poolStatus,
    summary: "How many transactions are pending and queued.",
    spec: SPEC,
  }),
  txpool_content: method({
    params: [],
    result: results.poolContent,
    summary: "All pooled transactions by sender and nonce.",
    spec: SPEC,
  }),
  txpool_inspect: method({
    params: [],
    result: results.poolContent,
    summary: "All pooled transactions by sender and nonce, each as one line.",
    spec: SPEC,
  }),
  txpool_contentFrom: method({
    params: [required("address", address)],
    result: results.poolContent,
    summary: "The pooled transactions of one sender by nonce.",
    spec: "geth",
  }),
};
