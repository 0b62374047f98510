/** Finds outside implementations for tests: the variable the set-up exports, else where a developer has them. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Absolute path of a tool; undefined when it is not here. `places` are relative to the home directory. */
export function outsideTool(variable: string, ...places: readonly string[]): string | undefined {
  const named = process.env[variable];
  const candidates = [...(named === undefined ? [] : [named]), ...places.map((place) => join(homedir(), place))];
  return candidates.find((candidate) => existsSync(candidate));
}
