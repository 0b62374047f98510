/** The hand-written sources of this checkout, for tests that look at all of them. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../../tools/stages.ts";

const PLACES = ["packages", "native", "test", "tools", "bench"];
const NOT_WRITTEN_HERE = new Set(["node_modules", "dist", "target", "vectors", "artifacts"]);

function* walk(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (!NOT_WRITTEN_HERE.has(entry.name)) yield* walk(path);
    } else yield path;
  }
}

/** Paths from the checkout's root whose names end in one of `endings`, in order. */
export function sourceFiles(...endings: readonly string[]): readonly string[] {
  return PLACES.flatMap((place) => [...walk(join(ROOT, place))])
    .map((path) => relative(ROOT, path).replaceAll("\\", "/"))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .sort();
}
