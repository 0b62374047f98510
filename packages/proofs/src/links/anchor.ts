/** Links of a receipt from the batch commitment to the Bitcoin chain. */
import {
  checkInclusion,
  checkProofOfWork,
  coinbaseHeight,
  decodeHex,
  displayHash,
  headerHash,
  NETWORKS,
  parseDisplayHash,
  parseHeader,
  parseStripped,
  opReturnData as readOpReturn,
  targetFromBits,
} from "@cairn/bitcoin";
import { equalBytes, hexToBytes } from "@cairn/primitives";
import { anchorCommitment, anchorHeader, anchorLeaf } from "../anchor-header.ts";
import { verifyPath } from "../merkle-tree.ts";
import { opReturnData } from "../op-return.ts";
import type { Receipt, ReceiptAnchor } from "../types.ts";
import type { Trust } from "../verification.ts";
import { broken, holds, type Link, type LinkOutcome, unproven } from "./link.ts";

type AnchorCheck = (anchor: ReceiptAnchor, receipt: Receipt, trust: Trust) => LinkOutcome;

function anchorLink(name: Link["name"], check: AnchorCheck): Link {
  return {
    name,
    check: (receipt, trust) =>
      receipt.anchor === null ? broken("there is no anchor") : check(receipt.anchor, receipt, trust),
  };
}

/** Batch commitment → root of the anchor tree. */
export const anchorPathLink = anchorLink("anchor-path", (anchor, { batch }) => {
  const { index, size } = anchor;
  const leaf = anchorLeaf(hexToBytes(batch.commitment));
  if (!verifyPath({ leaf, index, size, path: anchor.path.map(hexToBytes), root: hexToBytes(anchor.root) })) {
    return broken(`the path does not lead from the batch at ${index} of ${size} to the anchor root`);
  }
  return holds(`batch commitment ${index} of ${size} is in the anchor root`, "SHA-256, RFC 6962 tree");
});

/** Anchor header (sequence, size, root) → anchor commitment → the transaction's only OP_RETURN. */
export const opReturnLink = anchorLink("op-return", (anchor) => {
  const sequence = BigInt(anchor.sequence);
  const commitment = anchorCommitment(anchorHeader({ sequence, size: anchor.size, root: hexToBytes(anchor.root) }));
  const { outputs } = parseStripped(decodeHex(anchor.raw_tx));
  const data = outputs.map(({ scriptPubKey }) => readOpReturn(scriptPubKey));
  if (data.filter((item) => item !== undefined).length !== 1)
    return broken("the transaction has not one OP_RETURN output");
  const found = data[anchor.output];
  if (found === undefined) return broken(`output ${anchor.output} is no OP_RETURN`);
  if (!equalBytes(found, opReturnData({ sequence, commitment }))) return broken("the OP_RETURN holds another anchor");
  return holds(`OP_RETURN of output ${anchor.output} holds anchor ${anchor.sequence}`, "SHA-256, transaction bytes");
});

/** Transaction → Merkle root of the block header, beside the coinbase. */
export const transactionBranchLink = anchorLink("transaction-branch", (anchor) => {
  const proof = {
    rawTx: decodeHex(anchor.raw_tx),
    txIndex: anchor.tx_index,
    branch: anchor.branch.map(parseDisplayHash),
    coinbaseTx: decodeHex(anchor.coinbase_tx),
    coinbaseBranch: anchor.coinbase_branch.map(parseDisplayHash),
  };
  const outcome = checkInclusion(proof, parseHeader(decodeHex(anchor.header)).merkleRoot);
  if (!outcome.ok) return broken(`the transaction is not proven to be in the block: ${outcome.code}`);
  return holds(`transaction ${anchor.tx_index} is in the block`, "double SHA-256, Bitcoin's tree");
});

/** The coinbase states the height (BIP 34). */
export const coinbaseHeightLink = anchorLink("coinbase-height", (anchor) => {
  const height = coinbaseHeight(parseStripped(decodeHex(anchor.coinbase_tx)));
  if (height !== anchor.height) return broken(`the coinbase states height ${height ?? "none"}, not ${anchor.height}`);
  return holds(`the block's height is ${height}`, "BIP 34");
});

/**
 * The network is what its genesis says, and the header meets the target it states itself, which is no easier than the
 * network's limit. How hard the chain's rules made it at that height is not known from one header.
 */
export const proofOfWorkLink = anchorLink("proof-of-work", (anchor) => {
  const network = NETWORKS[anchor.network];
  if (network.genesisHash !== anchor.genesis_hash) return broken(`this is not the genesis block of ${anchor.network}`);
  const header = parseHeader(decodeHex(anchor.header));
  if (!checkProofOfWork(header, network.powLimitBits)) return broken("the header does not meet its target");
  const hash = displayHash(headerHash(header));
  const bits = header.bits.toString(16).padStart(8, "0");
  const said = `block ${hash} meets its own target: bits ${bits}, difficulty ${difficulty(header.bits)}`;
  const limit = `at most ${anchor.network}'s limit (difficulty ${difficulty(network.powLimitBits)})`;
  return holds(said, `double SHA-256; the header states its target, ${limit}: what was due there best-chain tells`);
});

/** Bits of difficulty 1 on every network. */
const DIFFICULTY_ONE_BITS = 0x1d00ffff;

// Six digits of what Bitcoin Core's `difficulty` says.
function difficulty(bits: number): string {
  const ratio = Number(targetFromBits(DIFFICULTY_ONE_BITS)) / Number(targetFromBits(bits));
  return `${Number(ratio.toPrecision(6))}`;
}

/** The block is in the best chain, by a node or a checkpoint. */
export const bestChainLink = anchorLink("best-chain", (anchor, _, { bitcoin }) => {
  const hash = displayHash(headerHash(parseHeader(decodeHex(anchor.header))));
  const said = `block ${hash} at height ${anchor.height}`;
  const missing = `that ${said} is in ${anchor.network}'s best chain (a Bitcoin node or checkpoint)`;
  const untold = unproven(`${said} is not looked up`, "a Bitcoin node", missing);
  if (bitcoin === undefined) return untold;
  if (bitcoin.kind === "checkpoint") {
    if (bitcoin.height !== anchor.height) return untold;
    return bitcoin.hash === hash
      ? holds(`${said} is the checkpoint`, "the checkpoint")
      : broken(`${said} is not the checkpoint`);
  }
  if (bitcoin.genesisHash !== anchor.genesis_hash) return broken("the Bitcoin node follows another network");
  if (bitcoin.blockHash === null) return unproven(`${said} is above the node's tip`, "the Bitcoin node", missing);
  if (bitcoin.blockHash !== hash) return broken(`${said} is not in the node's best chain`);
  const depth = bitcoin.tip - anchor.height + 1;
  const needed = bitcoin.minimumDepth ?? 1;
  if (depth < needed) return unproven(`${said} has depth ${depth} of ${needed}`, "the Bitcoin node", "more depth");
  return holds(`${said} is in the best chain, depth ${depth}`, "the Bitcoin node");
});
