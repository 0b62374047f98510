/** Every source says at its head what it owns, and every export what it is. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { ROOT } from "../../tools/stages.ts";
import { sourceFiles } from "./sources.ts";

const files = sourceFiles(".ts").filter(
  (path) => /^(packages\/[^/]+\/src|tools)\//.test(path) && !path.endsWith(".test.ts"),
);

/** Names of the exported declarations of a source that no doc comment stands directly above of. */
function undocumented(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return source.statements
    .filter((statement) => ts.canHaveModifiers(statement) && isExported(statement) && !isDocumented(statement, text))
    .map((statement) => `${path}: ${nameOf(statement)}`);
}

function isExported(statement: ts.HasModifiers): boolean {
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** A comment that ends on the line above: the file's head is not the first declaration's. */
function isDocumented(statement: ts.Statement, text: string): boolean {
  const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? [];
  const last = comments.at(-1);
  if (last === undefined || !text.startsWith("/**", last.pos)) return false;
  return !text.slice(last.end, statement.getStart()).includes("\n\n");
}

function nameOf(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations[0]?.name.getText() ?? "";
  return ts.isDeclarationStatement(statement) ? (statement.name?.getText() ?? "") : "";
}

const texts = new Map(files.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));

test("every export has a doc comment", () => {
  assert.deepEqual(
    [...texts].flatMap(([path, text]) => undocumented(path, text)),
    [],
  );
});

test("every source has a head comment", () => {
  const bare = [...texts].filter(([path, text]) => !text.startsWith("/**") && !path.endsWith("/index.ts"));
  assert.deepEqual(
    bare.map(([path]) => path),
    [],
  );
});

test("an export without a comment is found, also below the file's head", () => {
  const text = "/** Owns a. */\n\nexport const a = 1;\n/** B. */\nexport type B = 1;\nexport function c() {}\n";
  assert.deepEqual(undocumented("x.ts", text), ["x.ts: a", "x.ts: c"]);
});
