/** Hashes of a header over what the application decided: transaction results and consensus parameters. */
import { concat } from "./bytes.ts";
import { merkleRoot } from "./merkle.ts";
import { bytesField, intField } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import type { TxResultDigest } from "./types.ts";

/** `last_results_hash` of the next header: covers code, data, gas wanted and gas used of every result. */
export function lastResultsHash(results: readonly TxResultDigest[], hash: Sha256 = sha256): Uint8Array {
  const leaves = results.map((result) =>
    concat([
      intField(1, result.code),
      bytesField(2, result.data),
      intField(5, result.gasWanted),
      intField(6, result.gasUsed),
    ]),
  );
  return merkleRoot(leaves, hash);
}

/** `consensus_hash` of a header: covers a block's limits on bytes and gas and nothing else. -1 means no limit. */
export function consensusParamsHash(
  params: { readonly maxBytes: bigint; readonly maxGas: bigint },
  hash: Sha256 = sha256,
): Uint8Array {
  return hash(concat([intField(1, params.maxBytes), intField(2, params.maxGas)]));
}
