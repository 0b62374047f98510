/** The id of a submission (docs/formats.md). */
import { bytesToHex, concatBytes, type Hash, sha256 } from "@cairn/primitives";
import type { SubmissionContent } from "./types.ts";
import { str, text, uint } from "./wire.ts";

/** The id of a submission, from its content alone (docs/formats.md). `chainId` must be in canonical form. */
export function submissionId(content: SubmissionContent): Hash {
  const { environment, account, chainId, blockNumber, source, proofData } = content;
  const data = typeof proofData === "string" ? text(proofData) : proofData;
  const height = blockNumber === null ? "" : blockNumber.toString();
  const preimage = concatBytes(
    uint(1, 1),
    str(environment),
    str(account),
    str(chainId),
    str(height),
    str(source),
    sha256(data),
  );
  return bytesToHex(sha256(preimage));
}
