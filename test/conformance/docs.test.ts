/** The documents name only what is there: links, files, commands, scripts. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { createProgram } from "../../packages/cli/src/program.ts";
import { faultOf } from "../../packages/cli/src/testing/command-line.ts";
import { ROOT } from "../../tools/stages.ts";

const FOLDERS = ["", "docs", "docs/adr", "docs/guides", "docs/reference", "examples", "test/vectors"];
const packages = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`);
const documents = [...FOLDERS, ...packages].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const program = createProgram();
const scripts = new Set(["ci", "install", ...Object.keys(JSON.parse(read("package.json")).scripts)]);

/** GitHub's name of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function anchorsOf(path: string): ReadonlySet<string> {
  return new Set([...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

/** What a link of a document leads to that is not there; undefined: it is. */
function brokenLink(document: string, target: string): string | undefined {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? document : normalize(join(dirname(document), file));
  if (!existsSync(join(ROOT, path))) return target;
  return anchor === undefined || anchorsOf(path).has(anchor) ? undefined : target;
}

/** The code of a document: the lines of its blocks, continuations joined, and what stands between backticks. */
function codeIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block.replaceAll(/\\\n\s*/g, "").split("\n"),
  );
  const inline = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  return [...blocks.map((line) => line.replace(/^\$ /, "")), ...inline];
}

/** `a {b,c}` as the two lines it stands for. */
function unbraced(line: string): readonly string[] {
  const [braces, words] = /\{([a-z,]+)\}/.exec(line) ?? [];
  return braces === undefined || words === undefined
    ? [line]
    : words.split(",").map((word) => line.replace(braces, word));
}

const PLACES = /^(?:packages|native|test|tools|docs|bench|examples)\/[\w./-]+$/;

for (const document of documents) {
  test(`${document} names only what is there`, () => {
    const text = read(document);
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = ""]) => target);
    assert.deepEqual(
      links.flatMap((target) => brokenLink(document, target) ?? []),
      [],
      "links",
    );
    const code = codeIn(text);
    const calls = code
      .flatMap(unbraced)
      .filter((line) => /^(?:\.\/)?cairn /.test(line))
      .map((line) => line.replace(/\s+#.*$/, ""));
    assert.deepEqual(
      calls.flatMap((line) => faultOf(program, line) ?? []),
      [],
      "commands",
    );
    const runs = code.flatMap((line) => [...line.matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script = ""]) => script));
    assert.deepEqual(
      runs.filter((script) => !scripts.has(script)),
      [],
      "scripts",
    );
    const files = code.flatMap((line) => line.split(/\s+/)).filter((word) => PLACES.test(word));
    assert.deepEqual(
      files.filter((file) => !existsSync(join(ROOT, file))),
      [],
      "files",
    );
  });
}

test("a broken link, a command that is none and an unknown script are found", () => {
  assert.equal(brokenLink("README.md", "docs/none.md"), "docs/none.md");
  assert.equal(brokenLink("README.md", "#no-such-heading"), "#no-such-heading");
  assert.equal(brokenLink("README.md", "ARCHITECTURE.md#three-rules"), undefined);
  assert.deepEqual(codeIn("a `b c`\n```sh\n$ cairn x \\\n  y\n```\n"), ["cairn x y", "", "b c"]);
});
