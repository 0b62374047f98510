/**
 * A Bitcoin node's best chain, believed only as far as it can be checked: the network by its genesis, every block by
 * its hash, its proof of work and its Merkle root, headers by their links, further nodes by agreement. Owns the checks;
 * keeps the newest headers. What an anchor makes of it is not decided here.
 */
import {
  type BitcoinHeader,
  checkProofOfWork,
  displayHash,
  headerHash,
  merkleRoot,
  NETWORKS,
  parseBlock,
  parseHeader,
  targetFromBits,
  transactionId,
} from "@cairn/bitcoin";
import { BitcoinRpcError } from "./rpc-error.ts";
import type { BitcoinRpc, WalletNetwork } from "./types.ts";

/**
 * - `wrong-network`: block 0 is another network's.
 * - `false-block`: a header or block that does not hash to its id, or whose transactions are not its root's.
 * - `no-proof-of-work`: a header that does not meet its target, or states one the network does not allow.
 * - `broken-chain`: headers that do not follow each other.
 * - `nodes-disagree`: another node has another block that deep.
 */
export type ChainViewCode = "wrong-network" | "false-block" | "no-proof-of-work" | "broken-chain" | "nodes-disagree";

/** What a node answered cannot be true, or another node denies it. */
export class ChainViewError extends Error {
  override readonly name = "ChainViewError";
  readonly code: ChainViewCode;
  constructor(code: ChainViewCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What is known of the node since it last answered. */
export interface ChainViewStatus {
  readonly tip: number;
  /** Of the tip's header, by its miner's clock. */
  readonly tipTimeMs: number;
  /** Highest tip seen; above `tip`: the node lost blocks or follows a shorter chain. */
  readonly highestTip: number;
  /** Blocks by which another node is ahead. */
  readonly behind: number;
  /** Other nodes that did not answer. */
  readonly silent: number;
}

/** A checked best chain. Methods throw `BitcoinRpcError` or `ChainViewError`. */
export interface ChainView {
  /** Height of the tip, its header checked and linked to those seen before. */
  tip(): Promise<number>;
  /** Display hash at a height; null: above the tip. */
  blockHash(height: number): Promise<string | null>;
  /** A whole block, checked; null: unknown. */
  block(hash: string): Promise<Uint8Array | null>;
  /** Undefined before the first `tip()`. */
  status(): ChainViewStatus | undefined;
}

/** Options of a view. The first node is used; the others check it at `checkDepth` below the tip. */
export interface ChainViewOptions {
  readonly nodes: readonly [BitcoinRpc, ...BitcoinRpc[]];
  readonly network: WalletNetwork;
  readonly checkDepth: number;
}

/** Headers looked at below a new tip before the links are taken as good. */
const LINKED_HEADERS = 32;
const REMEMBERED_HEADERS = 512;
/** Blocks between two changes of difficulty. */
const RETARGET_BLOCKS = 2_016;

interface Seen {
  readonly hash: string;
  readonly header: BitcoinHeader;
}

/** Makes a view that has seen nothing. */
export function createChainView(o: ChainViewOptions): ChainView {
  const [rpc] = o.nodes;
  const seen = new Map<number, Seen>();
  let status: ChainViewStatus | undefined;
  const look = async (): Promise<number> => {
    if (status === undefined) await checkGenesis(o);
    const height = await rpc.getBlockCount();
    const hash = await rpc.getBlockHash(height);
    if (hash === null) throw new ChainViewError("broken-chain", `the node has no block at its own height ${height}`);
    if (seen.get(height)?.hash === hash && status?.tip === height) return height;
    const header = await link(o, seen, height, hash);
    const witnesses = await askWitnesses(o, height);
    const highestTip = Math.max(height, status?.highestTip ?? 0);
    status = { tip: height, tipTimeMs: header.time * 1000, highestTip, ...witnesses };
    for (const known of seen.keys()) if (known > height || known < height - REMEMBERED_HEADERS) seen.delete(known);
    return height;
  };
  return {
    tip: look,
    blockHash: (height) => rpc.getBlockHash(height),
    block: async (hash) => {
      const bytes = await rpc.getBlock(hash);
      if (bytes !== null) checkBlock(o.network, bytes, hash);
      return bytes;
    },
    status: () => status,
  };
}

async function checkGenesis({ nodes, network }: ChainViewOptions): Promise<void> {
  const genesis = await nodes[0].getBlockHash(0);
  if (genesis === NETWORKS[network].genesisHash) return;
  throw new ChainViewError("wrong-network", `the Bitcoin node is not on ${network}: its block 0 is ${genesis}`);
}

/** Reads the tip's header and those below it until one is known, or enough of them follow each other. */
async function link(
  o: ChainViewOptions,
  seen: Map<number, Seen>,
  tip: number,
  tipHash: string,
): Promise<BitcoinHeader> {
  const first = await readHeader(o, tipHash);
  let current: Seen = { hash: tipHash, header: first };
  const fresh = new Map([[tip, current]]);
  for (let height = tip - 1; height >= 0 && tip - height <= LINKED_HEADERS; height -= 1) {
    const hash = displayHash(current.header.previous);
    const known = seen.get(height);
    const below = known?.hash === hash ? known : { hash, header: await readHeader(o, hash) };
    checkDifficulty(o.network, height + 1, below.header, current.header);
    if (below === known) break;
    fresh.set(height, below);
    current = below;
  }
  // A reorg deeper than what is linked may be another chain altogether.
  if (seen.size > 0 && fresh.size > LINKED_HEADERS) await checkGenesis(o);
  for (const [height, header] of fresh) seen.set(height, header);
  return first;
}

async function readHeader({ nodes, network }: ChainViewOptions, hash: string): Promise<BitcoinHeader> {
  const bytes = await nodes[0].getBlockHeader(hash);
  if (bytes === null)
    throw new ChainViewError("broken-chain", `the node does not have the header ${hash} it builds on`);
  if (bytes.length !== 80) throw new ChainViewError("false-block", `the node's header ${hash} has no 80 bytes`);
  const header = parseHeader(bytes);
  checkHeader(network, header, hash);
  return header;
}

function checkHeader(network: WalletNetwork, header: BitcoinHeader, hash: string): void {
  if (displayHash(headerHash(header)) !== hash) {
    throw new ChainViewError("false-block", `what the node gives for block ${hash} does not hash to it`);
  }
  if (!checkProofOfWork(header, NETWORKS[network].powLimitBits)) {
    throw new ChainViewError("no-proof-of-work", `block ${hash} has no proof of work that ${network} takes`);
  }
}

/** Mainnet's difficulty changes every 2,016 blocks only, at most fourfold. */
function checkDifficulty(network: WalletNetwork, height: number, parent: BitcoinHeader, child: BitcoinHeader): void {
  if (network !== "mainnet") return;
  const isSame = parent.bits === child.bits;
  const before = targetFromBits(parent.bits) ?? 0n;
  const after = targetFromBits(child.bits) ?? 0n;
  const isAllowed = height % RETARGET_BLOCKS === 0 ? after <= before * 4n && before <= (after + 1n) * 5n : isSame;
  if (!isAllowed) throw new ChainViewError("no-proof-of-work", `block ${height} states a difficulty it cannot have`);
}

function checkBlock(network: WalletNetwork, bytes: Uint8Array, hash: string): void {
  let block: ReturnType<typeof parseBlock>;
  try {
    block = parseBlock(bytes);
  } catch {
    throw new ChainViewError("false-block", `what the node gives for block ${hash} is no block`);
  }
  checkHeader(network, block.header, hash);
  const root = merkleRoot(block.transactions.map(transactionId));
  if (displayHash(root) !== displayHash(block.header.merkleRoot)) {
    throw new ChainViewError("false-block", `the transactions of block ${hash} are not those of its header`);
  }
}

/** Asks every further node for the block at `checkDepth`; one that denies it is an error, a silent one is counted. */
async function askWitnesses(
  o: ChainViewOptions,
  tip: number,
): Promise<{ readonly behind: number; readonly silent: number }> {
  const [rpc, ...witnesses] = o.nodes;
  let behind = 0;
  let silent = 0;
  for (const witness of witnesses) {
    try {
      const theirs = await witness.getBlockCount();
      behind = Math.max(behind, theirs - tip);
      const height = Math.max(0, Math.min(tip, theirs) - o.checkDepth);
      const [own, other] = [await rpc.getBlockHash(height), await witness.getBlockHash(height)];
      if (own !== other) {
        throw new ChainViewError(
          "nodes-disagree",
          `Bitcoin nodes have different blocks at ${height}: ${own}, ${other}`,
        );
      }
    } catch (error) {
      if (!(error instanceof BitcoinRpcError)) throw error;
      silent += 1;
    }
  }
  return { behind, silent };
}
