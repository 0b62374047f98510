/** Reading a body by its schema, or the `invalid-body` problem. */
import { type DecodedBody, decodeBody } from "@cairn/api";
import { ProblemError } from "./problem-error.ts";

type Schema = Parameters<typeof decodeBody>[0];
type Read<T extends Schema> = Extract<ReturnType<typeof decodeBody<T>>, { ok: true }>;

/** The body read by a schema. Throws the `invalid-body` problem. */
export function acceptedBody<T extends Schema>(schema: T, body: unknown): Read<T> {
  const decoded: DecodedBody<unknown> = decodeBody(schema, body);
  if (!decoded.ok) throw new ProblemError("invalid-body", { errors: decoded.errors });
  return decoded as Read<T>;
}
