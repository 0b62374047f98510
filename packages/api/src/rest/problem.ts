/**
 * The REST side's error catalogue (RFC 9457, `application/problem+json`): every code the service answers, with its
 * HTTP status, title and meaning. Owns codes and texts; does not know when an error is answered.
 */

/** Base of every problem's `type`; the reference page has one section per code. */
export const PROBLEM_TYPE_BASE = "urn:cairn:problem:";

/** The media type of problems (RFC 9457). */
export const PROBLEM_CONTENT_TYPE = "application/problem+json";

interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  readonly description: string;
}

/** All codes of a problem answer. */
export const problems = {
  "malformed-json": {
    status: 400,
    title: "Malformed JSON",
    description: "The body is empty, not JSON text in UTF-8, or names a member more than once.",
  },
  "invalid-query": {
    status: 400,
    title: "Invalid query",
    description: "A query parameter has a wrong form; `errors[]` names it.",
  },
  "invalid-header": {
    status: 400,
    title: "Invalid header",
    description: "A request header has a wrong form; `errors[]` names it.",
  },
  "invalid-request": {
    status: 400,
    title: "Invalid request",
    description: "The HTTP request itself cannot be served (bad length, bad path encoding).",
  },
  "invalid-idempotency-key": {
    status: 400,
    title: "Invalid idempotency key",
    description:
      "`Idempotency-Key` is no quoted string (or bare word) of 1 to 255 visible characters, or one of fewer than 16 where " +
      "no token is needed.",
  },
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    description:
      "The bearer token is missing, mistyped, not known, expired, revoked or of the other environment; `detail` says " +
      "which. The answer carries `WWW-Authenticate`.",
  },
  "wallet-required": {
    status: 402,
    title: "Wallet required",
    description: "The account has no wallet that pays; `POST /v1/account/wallet` binds one.",
  },
  "insufficient-balance": {
    status: 402,
    title: "Insufficient balance",
    description:
      "The price is more than the payer's balance without what is reserved and asked back, or more than its limits for " +
      "this settler leave. `required` and `available` are in wei; `vault` takes deposits, `settler` is to be allowed.",
  },
  "payment-overdue": {
    status: 402,
    title: "Payment overdue",
    description:
      "The vault skipped this payer when a batch was settled. `required` wei are to be covered (the vault's `cover`).",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    description: "The token is known, but lacks the scope that `scope` names.",
  },
  "agreement-required": {
    status: 403,
    title: "Agreement required",
    description: "The operator has not set quota, plan and settlement period of this account yet (production).",
  },
  "account-suspended": {
    status: 403,
    title: "Account suspended",
    description: "The operator has suspended this account.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    description: "No such path, or no such resource that the caller may see.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    description: "The path is there, but not for this method; `Allow` names those it takes.",
  },
  "not-yet": {
    status: 409,
    title: "Not yet",
    description: "The submission has not reached the state this resource needs; `state` holds the current one.",
  },
  "wallet-conflict": {
    status: 409,
    title: "Wallet conflict",
    description:
      "The challenge is unknown or over, the signature is not the wallet's, the wallet is another account's, or the " +
      "account still owes from its present one; `detail` says which.",
  },
  "quote-expired": {
    status: 409,
    title: "Quote expired",
    description: "The quote's time is over; ask for another.",
  },
  "idempotency-in-progress": {
    status: 409,
    title: "Request in progress",
    description: "A request with this `Idempotency-Key` is being worked on; `Retry-After` says when to ask again.",
  },
  "too-many-webhooks": {
    status: 409,
    title: "Too many webhooks",
    description: "The account has as many webhooks as it may (20); delete one first.",
  },
  "body-too-large": {
    status: 413,
    title: "Body too large",
    description: "The body is larger than this route takes (2 MiB; 32 MiB for several submissions).",
  },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported media type",
    description: "The body must be `application/json` in UTF-8 without a content coding.",
  },
  "invalid-body": {
    status: 422,
    title: "Invalid body",
    description: "The body is JSON, but fields are missing or wrong; `errors[]` has a JSON Pointer for each.",
  },
  "idempotency-key-reused": {
    status: 422,
    title: "Idempotency key reused",
    description: "This `Idempotency-Key` belongs to another request: another path or another body.",
  },
  "unknown-chain": {
    status: 422,
    title: "Unknown chain",
    description: "`chain_id` is neither a chain registered for the account nor one of its aliases (production).",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    description:
      "The rate of the key, or of the address where no key is known, is used up; `Retry-After` says when to try again.",
  },
  "quota-exceeded": {
    status: 429,
    title: "Quota used up",
    description: "The account's submissions of this UTC day are used up; `Retry-After` says when the next day begins.",
  },
  "too-many-streams": {
    status: 429,
    title: "Too many event streams",
    description: "The key has as many event streams open as it may; `Retry-After` says when to try again.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    description: "The service failed; the `X-Request-Id` finds the cause in its log.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    description:
      "A part the answer needs (a chain, the store's disk) is not usable now; `Retry-After` says when to try again.",
  },
  "queue-full": {
    status: 503,
    title: "Queue full",
    description: "More submissions wait than the service takes at once; `Retry-After` says when to try again.",
  },
} as const satisfies Record<string, ProblemEntry>;

/** Stable code of a problem answer. */
export type ProblemCode = keyof typeof problems;

/** One fault of a body (`pointer`, RFC 6901), of a query (`parameter`) or of a request header (`header`). */
export interface FieldError {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
}

/** The body of an error answer. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly [extension: string]: unknown;
}

/**
 * Makes a problem body. `detail` defaults to the catalogue's description; `extensions` are further members (RFC 9457,
 * section 3.2).
 */
export function problemBody(
  code: ProblemCode,
  o: { detail?: string; errors?: readonly FieldError[]; extensions?: Readonly<Record<string, unknown>> } = {},
): ProblemBody {
  const entry = problems[code];
  return {
    type: PROBLEM_TYPE_BASE + code,
    title: entry.title,
    status: entry.status,
    code,
    detail: o.detail ?? entry.description,
    ...(o.errors === undefined ? {} : { errors: o.errors }),
    ...o.extensions,
  };
}

/** Is this text one of the catalogue's codes? */
export function isProblemCode(text: unknown): text is ProblemCode {
  return typeof text === "string" && Object.hasOwn(problems, text);
}
