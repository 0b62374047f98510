import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Command } from "commander";
import { addCompletionCommand, completionScript, wordsOf } from "./completion.ts";

function program(): Command {
  const root = new Command("cairn");
  root.command("submit").option("--chain-id <id>").option("--json");
  const keys = root.command("keys");
  keys.command("issue").option("--account <name>");
  keys.command("revoke");
  addCompletionCommand(root);
  return root;
}

/** What bash offers for words typed so far; the last one is being typed. */
function offered(script: string, ...typed: string[]): readonly string[] {
  const words = ["cairn", ...typed];
  const run = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=${words.length - 1}; _cairn; printf '%s\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", run, "bash", ...words], { encoding: "utf8" })
    .trim()
    .split("\n");
}

test("bash offers commands, subcommands and options where they may stand", () => {
  const script = completionScript("bash", wordsOf(program()));
  assert.deepEqual(offered(script, "s"), ["submit"]);
  assert.deepEqual(offered(script, "keys", ""), ["issue", "revoke", "--help"]);
  assert.deepEqual(offered(script, "keys", "issue", "--a"), ["--account"]);
  assert.deepEqual(offered(script, "submit", "file.json", "--json", "--c"), ["--chain-id"]);
  assert.deepEqual(offered(script, "nonsense", "compl"), ["completion"]);
});

test("zsh loads bash's script, fish has a line per command", () => {
  const words = wordsOf(program());
  assert.equal(completionScript("zsh", words).split("\n").slice(1).join("\n"), completionScript("bash", words));
  assert.match(
    completionScript("fish", words),
    /__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from issue' -a '--account --help'/,
  );
});
