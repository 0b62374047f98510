/** Id and claim secret of an access request: random, or those of the keyed request that asks for it. */
import { createHmac, randomBytes } from "node:crypto";

/** What a new access request is named by; the secret is for its sender only. */
export interface ClaimNames {
  readonly id: string;
  readonly claimSecret: string;
}

/** Names an access request; the same request's name gives the same names. */
export type NameClaim = (requestName: Uint8Array | undefined) => ClaimNames;

const SECRET_BYTES = 24;
const ID_BYTES = 9;

/** Makes the naming under a secret of the service: without it nobody has the names of a request he did not send. */
export function createClaimNames(secret: Uint8Array): NameClaim {
  return (requestName) => {
    const bytes =
      requestName === undefined
        ? randomBytes(SECRET_BYTES + ID_BYTES)
        : createHmac("sha512", secret).update(requestName).digest();
    const claimSecret = `cairn_claim_${bytes.subarray(0, SECRET_BYTES).toString("hex")}`;
    return { id: `req_${bytes.subarray(SECRET_BYTES, SECRET_BYTES + ID_BYTES).toString("hex")}`, claimSecret };
  };
}
