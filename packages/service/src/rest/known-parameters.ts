/** A misspelt query parameter is refused: a filter that is silently left out would answer with everything. */
import { type FieldError, nearest, type Route } from "@cairn/api";
import { ProblemError } from "./problem-error.ts";

/** Throws the problem `invalid-query` for parameters that a route which reads any does not have; each names the nearest. */
export function requireKnownParameters({ errors, parameters }: Route, query: unknown): void {
  if (!errors.includes("invalid-query")) return;
  const known = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const given = Object.keys(typeof query === "object" && query !== null ? query : {});
  const faults = given.filter((name) => !known.includes(name)).map((name) => unknownParameter(name, known));
  if (faults.length > 0) throw new ProblemError("invalid-query", { errors: faults });
}

const MAX_NAMED = 64;

function unknownParameter(name: string, known: readonly string[]): FieldError {
  const meant = name.length > MAX_NAMED ? undefined : nearest(name, known);
  const hint = meant === undefined ? "" : `; the nearest is ${meant}`;
  return {
    parameter: name.slice(0, MAX_NAMED),
    code: "unknown-parameter",
    detail: `is no parameter of this route${hint}`,
  };
}
