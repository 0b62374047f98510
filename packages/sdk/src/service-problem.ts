/** Errors of the SDK: what the service refused, and what never came back. */
import { type FieldError, isProblemCode, type ProblemCode } from "@cairn/api";

/**
 * The service answered with a problem (RFC 9457). `code` is the catalogue's, or `unknown` for an answer that is no
 * problem of this service (a proxy's page, say). The message has a line for each faulty field.
 */
export class ServiceProblem extends Error {
  override readonly name = "ServiceProblem";
  readonly status: number;
  readonly code: ProblemCode | "unknown";
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;
  /** Of `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** The whole body. */
  readonly body: Readonly<Record<string, unknown>>;
  constructor(status: number, headers: Headers, body: Readonly<Record<string, unknown>>) {
    const detail = typeof body.detail === "string" ? body.detail : `the service answered ${status}`;
    const errors: readonly FieldError[] = Array.isArray(body.errors) ? body.errors : [];
    super([detail, ...errors.map(fieldText), ...amounts(body)].join("\n"));
    this.status = status;
    this.code = isProblemCode(body.code) ? body.code : "unknown";
    this.detail = detail;
    this.errors = errors;
    this.requestId = headers.get("x-request-id") ?? undefined;
    const retryAfter = headers.get("retry-after");
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    this.body = body;
  }
}

/** Of a submission that cannot be paid. */
function amounts({ required, available }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof required !== "string" || typeof available !== "string") return [];
  return [`  required ${required} wei, available ${available} wei`];
}

function fieldText(error: Partial<FieldError> | null): string {
  return `  ${error?.pointer ?? error?.parameter ?? error?.header ?? ""} ${error?.detail ?? error?.code ?? ""}`;
}

/** The service could not be reached, or did not answer in time; `cause` has the reason. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
}

/** A submission did not reach the state asked for. `submission` is how it stands. */
export class StateNotReached<T> extends Error {
  override readonly name = "StateNotReached";
  readonly reason: "rejected" | "timeout";
  readonly submission: T;
  constructor(reason: "rejected" | "timeout", submission: T) {
    super(reason === "rejected" ? "the submission was rejected" : "the submission did not get there in time");
    this.reason = reason;
    this.submission = submission;
  }
}
