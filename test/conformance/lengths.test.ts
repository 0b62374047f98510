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

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const typescript = sourceFiles(".ts", ".mjs");
const rust = sourceFiles(".rs");

test(`no source has more than ${FILE_LINES} lines`, () => {
  const lengths = [...typescript, ...rust].map((path) => [path, read(path).split("\n").length - 1] as const);
  assert.ok(lengths.length > 1000);
  assert.deepEqual(
    lengths.filter(([, lines]) => lines > FILE_LINES),
    [],
  );
});

test(`no function has more than ${FUNCTION_LINES} lines of its own`, () => {
  const found = [
    ...typescript.flatMap((path) => functionsOf(path, read(path)).map((each) => ({ path, ...each }))),
    ...rust.flatMap((path) => rustFunctionsOf(read(path)).map((each) => ({ path, ...each }))),
  ];
  assert.ok(found.length > 5000);
  assert.deepEqual(
    found.filter(({ lines }) => lines > FUNCTION_LINES),
    [],
  );
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
