/** What every command's help says, and that its examples are commands of this program. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "./program.ts";
import { faultOf } from "./testing/command-line.ts";

const program = createProgram();

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

function* below(command: Command, path: string): Generator<[path: string, command: Command]> {
  yield [path, command];
  for (const child of command.commands) yield* below(child, `${path} ${child.name()}`);
}

/** Examples with their continuations, as they are typed. */
function examplesIn(help: string): readonly string[] {
  const [, block = ""] = /\nExamples?:\n((?: {2}.*\n)+)/.exec(help) ?? [];
  return block
    .replaceAll(/\\\n\s+/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

for (const [path, command] of below(program, "cairn")) {
  test(`${path} --help has a purpose, an example that is a command, and exit codes`, () => {
    const help = helpOf(command);
    assert.match(command.description(), /^.{10,120}$/, "one line of purpose");
    assert.match(help, /\nExit codes: 0 .*2 .*\.\n$/);
    const examples = examplesIn(help);
    assert.ok(examples.length > 0, "an example");
    for (const example of examples) assert.equal(faultOf(program, example), undefined, example);
    assert.ok(
      examples.some((example) => example.includes(path)),
      "an example of this very command",
    );
    assert.doesNotMatch(help, /default: (\{\}|\[\]|""|\d{7,})/, "defaults in the words of a user");
  });
}

/** What they print is no report but the thing itself: a receipt, a script. */
const NO_REPORT = ["cairn receipt", "cairn completion"];

test("every command has --json, but for those that print the thing itself", () => {
  const without = [...below(program, "cairn")]
    .filter(([, command]) => command.commands.length === 0)
    .filter(([, command]) => !command.options.some(({ long }) => long === "--json"));
  assert.deepEqual(
    without.map(([path]) => path),
    NO_REPORT,
  );
});

test("defaults do not tell where the user's home is", () => {
  for (const [, command] of below(program, "cairn")) assert.ok(!helpOf(command).includes(`${process.env.HOME}/`));
});

test("what is no command or option is named", () => {
  for (const good of [
    "cairn keys issue --account x",
    "cairn service --home ./service",
    "cairn receipt ID --ots -o f",
  ]) {
    assert.equal(faultOf(program, good), undefined);
  }
  assert.equal(faultOf(program, "cairn sandbx"), "cairn has no command sandbx");
  assert.equal(faultOf(program, "cairn keys isue"), "cairn keys has no command isue");
  assert.equal(faultOf(program, "cairn keys issue --acount x"), "cairn keys issue has no option --acount");
  assert.equal(faultOf(program, "cairn service keys new --hom ./x"), "cairn service keys new has no option --hom");
});

const MISTYPED: readonly (readonly [line: string, said: RegExp])[] = [
  ["sandbx", /unknown command 'sandbx'\n\(Did you mean sandbox\?\)/],
  ["keys issue --acount x", /unknown option '--acount'\n\(Did you mean --account\?\)/],
  ["keys issue", /required option '--account <name>' not specified/],
  ["start --json-rpc.adress x", /unknown option '--json-rpc.adress'\n\(Did you mean --json-rpc.address\?\)/],
  ["service chek", /unknown command 'chek'\n\(service has run, init, check, /],
  ["reader adit", /unknown command 'adit'\n\(reader has audit, backfill\)/],
  ["sandbox --bitcoin sinet", /'sinet' is invalid\. Allowed choices are embedded, /],
  ["keys rotate x --overlap 3x", /expected a duration up to ten years, as 90d/],
];

for (const [line, said] of MISTYPED) {
  test(`cairn ${line}: what is wrong is named, before anything is done`, async () => {
    let text = "";
    const fresh = createProgram();
    for (const [, command] of below(fresh, "cairn")) command.configureOutput({ writeErr: (part) => (text += part) });
    await assert.rejects(fresh.parseAsync(line.split(" "), { from: "user" }), { name: "CommanderError" });
    assert.match(text, said);
  });
}
