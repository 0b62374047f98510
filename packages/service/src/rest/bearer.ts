/** Who calls: bearer tokens, kept as hashes, compared in constant time (RFC 6750). Owns no quota. */
import { createHash, timingSafeEqual } from "node:crypto";
import { ProblemError } from "./problem-error.ts";

/** A known caller. */
export interface Caller {
  readonly account: string;
}

/** Finds the caller of an `Authorization` header; throws the `unauthorized` problem. */
export type Authenticate = (authorization: string | undefined) => Caller;

/** Accepts the tokens given; only their hashes are kept. */
export function createBearer(tokens: readonly { readonly token: string; readonly account: string }[]): Authenticate {
  const known = tokens.map(({ token, account }) => ({ hash: digest(token), account }));
  return (authorization) => {
    const token = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw unauthorized('Bearer realm="cairn"', "a bearer token is required");
    const hash = digest(token);
    const found = known.filter((entry) => timingSafeEqual(entry.hash, hash));
    if (found[0] === undefined) {
      throw unauthorized('Bearer realm="cairn", error="invalid_token"', "the token is not known");
    }
    return { account: found[0].account };
  };
}

function unauthorized(challenge: string, detail: string): ProblemError {
  return new ProblemError("unauthorized", { detail, headers: { "www-authenticate": challenge } });
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
