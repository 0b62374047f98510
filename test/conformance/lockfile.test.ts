/** package-lock.json installs everywhere: complete over platforms, bound to no registry host. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../tools/stages.ts";

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(
  readFileSync(join(ROOT, "package-lock.json"), "utf8"),
);

test("every platform's optional packages have an entry (node tools/complete-lockfile.mjs)", () => {
  const paths = Object.keys(lock.packages);
  const wanted = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  const missing = wanted.filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
  assert.deepEqual(missing, []);
});

test("entries name exact versions and no registry host", () => {
  for (const [path, { version, resolved }] of Object.entries(lock.packages)) {
    if (version !== undefined) assert.match(version, /^\d/, path);
    assert.doesNotMatch(resolved ?? "", /^https?:/, path);
  }
});
