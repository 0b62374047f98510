/** Links of a receipt from the leaf to the batch commitment. */
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { batchCommitment, parseBatchHeader } from "../batch-header.ts";
import { verifyPath } from "../merkle-tree.ts";
import { broken, holds, type Link } from "./link.ts";

/** Leaf → batch root, at the stated index of a tree of the stated size. */
export const batchPathLink: Link = {
  name: "batch-path",
  check({ leaf, batch }) {
    const path = batch.path.map(hexToBytes);
    const { index, size } = batch;
    if (!verifyPath({ leaf: hexToBytes(leaf.hash), index, size, path, root: hexToBytes(batch.root) })) {
      return broken(`the path does not lead from the leaf at ${index} of ${size} to the batch root`);
    }
    return holds(`leaf ${index} of ${size} is in the batch root`, "SHA-256, RFC 6962 tree");
  },
};

/** Batch header: binds chain, submitter, number, size, root and the batch before; its hash is the commitment. */
export const batchHeaderLink: Link = {
  name: "batch-header",
  check({ batch, settlement }) {
    const header = parseBatchHeader(hexToBytes(batch.header));
    if (header.chainId !== BigInt(settlement.chain_id)) return broken("the header names another chain");
    if (header.number !== BigInt(batch.number)) return broken("the header names another batch number");
    if (header.size !== batch.size) return broken("the header names another size");
    if (bytesToHex(header.root) !== batch.root) return broken("the header names another root");
    if (bytesToHex(batchCommitment(hexToBytes(batch.header))) !== batch.commitment) {
      return broken("the commitment is not the hash of the header");
    }
    return holds(
      `batch ${batch.number} of ${bytesToHex(header.submitter)}, its header gives the commitment`,
      "SHA-256",
    );
  },
};
