/** A problem as an exception: thrown by handlers, turned into `application/problem+json` at one place. */
import { type FieldError, type ProblemCode, problemBody, type SubmissionState } from "@cairn/api";

/** An expected refusal. `headers` go into the answer, `extensions` into its body. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: ProblemCode,
    o: {
      readonly detail?: string;
      readonly errors?: readonly FieldError[];
      readonly extensions?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(code);
    this.code = code;
    this.detail = o.detail;
    this.errors = o.errors;
    this.extensions = o.extensions;
    this.headers = o.headers ?? {};
  }
}

/** The answer's body. */
export function problemOf(error: ProblemError): ReturnType<typeof problemBody> {
  return problemBody(error.code, {
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...(error.extensions === undefined ? {} : { extensions: error.extensions }),
  });
}

/** The `not-yet` problem of a submission in this state; of a rejected one it is told that it never gets there. */
export function notYet(state: SubmissionState): ProblemError {
  const detail = state === "rejected" ? "the submission is rejected: there is none, now or later" : undefined;
  return new ProblemError("not-yet", { extensions: { state }, ...(detail === undefined ? {} : { detail }) });
}
