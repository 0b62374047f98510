/** Files and functions stay short: CONTRIBUTING.md, "Style". */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../tools/stages.ts";
import { functionsOf, rustFunctionsOf } from "./functions.ts";
import { sourceFiles } from "./sources.ts";

const FILE_LINES = 300;
const FUNCTION_LINES = 40;
/** Rust writes a match with an arm a line where TypeScript has a table. */
const RUST_FUNCTION_LINES = 70;

/** Longer for now, and no longer than this. */
const LONG_FILES: Readonly<Record<string, number>> = {
  "native/crates/evm/src/call.rs": 310,
  "native/crates/evm/src/chain.rs": 309,
  "native/crates/evm/src/execution.rs": 383,
  "native/crates/evm/src/overlay.rs": 457,
  "native/crates/evm/src/simulate.rs": 410,
  "native/crates/evm/src/transaction.rs": 316,
  "native/crates/napi/src/calls.rs": 307,
  "native/crates/state/tests/store/state.rs": 353,
  "native/crates/zk/src/envelope.rs": 304,
  "native/crates/zk/tests/precompile.rs": 430,
  "native/crates/zk/tests/vectors.rs": 432,
};

/** The same of functions, by `file: name`. */
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  "packages/aggregator/src/aggregator.ts: startWorkers": 46,
  "packages/aggregator/src/verifier.ts: verdictRecord": 41,
  "packages/reader/src/worker/entry-worker.ts: createEntryWorker": 45,
  "packages/service/src/rest/handlers.ts: createHandlers": 49,
  "packages/service/src/rest/rest.test.ts: every refusal is a problem with its code": 56,
};

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const typescript = sourceFiles(".ts", ".mjs");
const rust = sourceFiles(".rs");

/** Fails on what is longer than its limit. */
function check(found: ReadonlyMap<string, number>, limit: number, exceptions: Readonly<Record<string, number>>): void {
  const long = [...found].filter(([name, lines]) => lines > (exceptions[name] ?? limit));
  assert.deepEqual(long, [], `longer than ${limit} lines`);
}

test(`no source has more than ${FILE_LINES} lines`, () => {
  const lines = [...typescript, ...rust].map((path) => [path, read(path).split("\n").length - 1] as const);
  assert.ok(lines.length > 1000);
  check(new Map(lines), FILE_LINES, LONG_FILES);
});

test(`no TypeScript function has more than ${FUNCTION_LINES} lines of its own`, () => {
  const lengths = new Map<string, number>();
  for (const path of typescript) {
    for (const { name, lines } of functionsOf(path, read(path))) {
      const key = `${path}: ${name}`;
      lengths.set(key, Math.max(lines, lengths.get(key) ?? 0));
    }
  }
  check(lengths, FUNCTION_LINES, LONG_FUNCTIONS);
});

test(`no Rust function has more than ${RUST_FUNCTION_LINES} lines`, () => {
  const found = rust.flatMap((path) =>
    rustFunctionsOf(read(path)).map(({ name, line, lines }) => [`${path}:${line} ${name}`, lines] as const),
  );
  assert.ok(found.length > 500);
  check(new Map(found), RUST_FUNCTION_LINES, {});
});

test("a function's own lines do not count those inside it", () => {
  const text = "function outer() {\n  const inner = () => {\n    a();\n    b();\n  };\n  inner();\n}\n";
  assert.deepEqual(functionsOf("a.ts", text), [
    { name: "inner", line: 2, lines: 4 },
    { name: "outer", line: 1, lines: 4 },
  ]);
  assert.deepEqual(rustFunctionsOf("    pub(crate) fn one(&self) {\n        a();\n    }\n"), [
    { name: "one", line: 1, lines: 3 },
  ]);
});
