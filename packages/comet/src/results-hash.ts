/** Hashes of a header over what the application decided: transaction results and consensus parameters. */
import { concat } from "./bytes.ts";
import { merkleLeafHash, merkleRootOfHashes } from "./merkle.ts";
import { bytesField, intField } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import type { TxResultDigest } from "./types.ts";

function resultLeaf(result: TxResultDigest): Uint8Array {
  return concat([
    intField(1, result.code),
    bytesField(2, result.data),
    intField(5, result.gasWanted),
    intField(6, result.gasUsed),
  ]);
}

/**
 * `last_results_hash` of the next header: covers code, data, gas wanted and gas used of every result. Results without
 * data mostly repeat one another (plain transfers), so their leaves are hashed once.
 */
export function lastResultsHash(results: readonly TxResultDigest[], hash: Sha256 = sha256): Uint8Array {
  const known = new Map<string, Uint8Array>();
  const leafHashes = results.map((result) => {
    if (result.data.length > 0) return merkleLeafHash(resultLeaf(result), hash);
    const key = `${result.code}/${result.gasWanted}/${result.gasUsed}`;
    const leafHash = known.get(key) ?? merkleLeafHash(resultLeaf(result), hash);
    known.set(key, leafHash);
    return leafHash;
  });
  return merkleRootOfHashes(leafHashes, hash);
}

/** `consensus_hash` of a header: covers a block's limits on bytes and gas and nothing else. -1 means no limit. */
export function consensusParamsHash(
  params: { readonly maxBytes: bigint; readonly maxGas: bigint },
  hash: Sha256 = sha256,
): Uint8Array {
  return hash(concat([intField(1, params.maxBytes), intField(2, params.maxGas)]));
}
