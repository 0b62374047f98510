/** The built-in catalogue of rollup events that carry roots. Owns names, signatures and which argument is the root. */
import { parseSignature } from "../abi/signature.ts";
import { type EventSpec, eventSpec, type Where } from "./event-spec.ts";

/** A rollup's event: which log carries which root. */
export interface CatalogueRow {
  readonly system: string;
  /** With `indexed` and names: types alone fix the topic, but not where an argument sits. */
  readonly signature: string;
  readonly root: string;
  /** Logs with this value of an argument are passed over. */
  readonly except?: { readonly argument: string; readonly value: bigint | string };
  readonly note?: string;
}

const ZERO_ROOT = `0x${"00".repeat(32)}`;

/** Every row; of two events of one name the first is meant by the name alone. */
export const CATALOGUE: readonly CatalogueRow[] = [
  {
    system: "Linea",
    signature: "L2MerkleRootAdded(bytes32 indexed l2MerkleRoot, uint256 indexed treeDepth)",
    root: "l2MerkleRoot",
  },
  {
    system: "Linea",
    signature:
      "DataFinalizedV3(uint256 indexed startBlockNumber, uint256 indexed endBlockNumber, bytes32 indexed shnarf, " +
      "bytes32 parentStateRootHash, bytes32 finalStateRootHash)",
    root: "finalStateRootHash",
  },
  {
    system: "Linea",
    signature: "DataSubmittedV3(bytes32 parentShnarf, bytes32 indexed shnarf, bytes32 finalStateRootHash)",
    root: "shnarf",
  },
  {
    system: "ZKsync",
    signature: "BlockExecution(uint256 indexed batchNumber, bytes32 indexed batchHash, bytes32 indexed commitment)",
    root: "commitment",
  },
  {
    system: "ZKsync",
    signature: "BlockCommit(uint256 indexed batchNumber, bytes32 indexed batchHash, bytes32 indexed commitment)",
    root: "commitment",
    note: "committed, not yet proven: prefer `BlockExecution`",
  },
  {
    system: "Scroll",
    signature:
      "FinalizeBatch(uint256 indexed batchIndex, bytes32 indexed batchHash, bytes32 stateRoot, bytes32 withdrawRoot)",
    root: "stateRoot",
  },
  {
    system: "Polygon rollup manager",
    signature:
      "VerifyBatchesTrustedAggregator(uint32 indexed rollupID, uint64 numBatch, bytes32 stateRoot, bytes32 exitRoot, " +
      "address indexed aggregator)",
    root: "stateRoot",
    except: { argument: "stateRoot", value: ZERO_ROOT },
    note: "one contract for many rollups: filter with `where = { rollupID = 1 }`",
  },
  {
    system: "Polygon zkEVM (old)",
    signature: "VerifyBatchesTrustedAggregator(uint64 indexed numBatch, bytes32 stateRoot, address indexed aggregator)",
    root: "stateRoot",
    note: "by its full signature only",
  },
  {
    system: "AggLayer",
    signature:
      "VerifyPessimisticStateTransition(uint32 indexed rollupID, bytes32 prevPessimisticRoot, " +
      "bytes32 newPessimisticRoot, bytes32 prevLocalExitRoot, bytes32 newLocalExitRoot, bytes32 l1InfoRoot, " +
      "address indexed trustedAggregator)",
    root: "newPessimisticRoot",
    note: "one contract for many rollups: filter with `where = { rollupID = 1 }`",
  },
  {
    system: "Starknet core",
    signature: "LogStateUpdate(uint256 globalRoot, int256 blockNumber, uint256 blockHash)",
    root: "globalRoot",
  },
  {
    system: "Taiko",
    signature: "CheckpointSaved(uint48 indexed blockNumber, bytes32 blockHash, bytes32 stateRoot)",
    root: "stateRoot",
  },
  {
    system: "OP stack",
    signature: "DisputeGameCreated(address indexed disputeProxy, uint32 indexed gameType, bytes32 indexed rootClaim)",
    root: "rootClaim",
    note: "a claim, not yet resolved",
  },
  {
    system: "OP stack",
    signature:
      "OutputProposed(bytes32 indexed outputRoot, uint256 indexed l2OutputIndex, uint256 indexed l2BlockNumber, " +
      "uint256 l1Timestamp)",
    root: "outputRoot",
    note: "before fault proofs; a proposal, not yet final",
  },
  {
    system: "Arbitrum BoLD",
    signature: "AssertionConfirmed(bytes32 indexed assertionHash, bytes32 blockHash, bytes32 sendRoot)",
    root: "sendRoot",
  },
  {
    system: "Arbitrum",
    signature: "NodeConfirmed(uint64 indexed nodeNum, bytes32 blockHash, bytes32 sendRoot)",
    root: "sendRoot",
    note: "before BoLD",
  },
  {
    system: "zkVerify consumer",
    signature:
      "AggregationPosted(uint256 indexed domainId, uint256 indexed aggregationId, bytes32 indexed proofsAggregation)",
    root: "proofsAggregation",
  },
  {
    system: "LayerEdge",
    signature: "TreeCreated(bytes32 indexed merkleRoot, address indexed owner, bytes32[] leaves)",
    root: "merkleRoot",
  },
];

/** The specification of a row. */
export function catalogueSpec(row: CatalogueRow, root: string | undefined, where: readonly Where[]) {
  const except = row.except === undefined ? [] : [{ ...row.except, equal: false }];
  return eventSpec(parseSignature(row.signature), root ?? row.root, [...except, ...where]);
}

/** The row of an event's name. */
export function catalogueRow(name: string): CatalogueRow | undefined {
  return CATALOGUE.find((row) => row.signature.startsWith(`${name}(`));
}

/** Names of the catalogue's events. */
export const EVENT_NAMES: readonly string[] = [
  ...new Set(CATALOGUE.map(({ signature }) => signature.slice(0, signature.indexOf("(")))),
];

/** Whether a specification is complete. */
export function isSpec(value: EventSpec | { readonly problem: string }): value is EventSpec {
  return !("problem" in value);
}
