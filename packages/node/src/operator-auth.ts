/**
 * Owns who counts as the operator: the bearer of the node's operator token, or of an HS256 JWT made with the node's
 * secret whose `iat` lies within a minute of now (as Ethereum's engine API asks). Which methods need it is `api`'s.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** What the checks compare with. `nowMs` is the clock. */
export interface OperatorSecrets {
  readonly token: string;
  /** 32 bytes. */
  readonly jwtSecret: Uint8Array;
  readonly nowMs: () => number;
}

/** Seconds that a JWT's `iat` may be away from now. */
export const JWT_WINDOW_SECONDS = 60;

/** Whether an `Authorization` header proves the operator. Takes the same time wherever a token differs. */
export function isOperator(header: string, { token, jwtSecret, nowMs }: OperatorSecrets): boolean {
  const [, bearer] = /^bearer +(\S+) *$/i.exec(header) ?? [];
  if (bearer === undefined) return false;
  const isToken = sameSecret(bearer, token);
  return isToken || isOperatorJwt(bearer, jwtSecret, nowMs());
}

function sameSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

function isOperatorJwt(jwt: string, secret: Uint8Array, nowMs: number): boolean {
  const [head, claims, signature, ...rest] = jwt.split(".");
  if (head === undefined || claims === undefined || signature === undefined || rest.length > 0) return false;
  const expected = createHmac("sha256", secret).update(`${head}.${claims}`).digest("base64url");
  if (!sameSecret(signature, expected)) return false;
  if (memberOf(head, "alg") !== "HS256") return false;
  const iat = memberOf(claims, "iat");
  return typeof iat === "number" && Math.abs(nowMs / 1000 - iat) <= JWT_WINDOW_SECONDS;
}

function memberOf(part: string, name: string): unknown {
  try {
    const object: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    if (typeof object !== "object" || object === null) return undefined;
    return Object.entries(object).find(([key]) => key === name)?.[1];
  } catch {
    return undefined;
  }
}
