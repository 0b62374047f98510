/** Reading of command lines in help texts and documents: whether they name commands and options that exist. */
import type { Command } from "commander";

/**
 * What is wrong with a line that calls `cairn`; undefined when its commands and options exist. Several calls may be
 * chained by `&&`, `|` or `;`; what is no call of `cairn` is passed over. Values are not looked at.
 */
export function faultOf(program: Command, line: string): string | undefined {
  const calls = line.matchAll(/(?:^|[\s(])(?:\.\/)?cairn((?:\s+(?!&&|\||;|#|>|<)[^\s)]+)*)/g);
  for (const [, words = ""] of calls) {
    const fault = faultOfCall(
      program,
      words
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ""),
    );
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfCall(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  let path = "cairn";
  let takesWords = false;
  for (const word of words) {
    const child = takesWords ? undefined : command.commands.find((each) => each.name() === word);
    if (child !== undefined) {
      command = child;
      path = `${path} ${word}`;
    } else if (word.startsWith("-")) {
      if (!hasOption(command, word)) return `${path} has no option ${word}`;
      takesWords = true;
    } else if (!takesWords && command.commands.length > 0 && command.registeredArguments.length === 0) {
      return `${path} has no command ${word}`;
    }
  }
  return undefined;
}

/** An option of the command, of those it stands below, or of the one it runs when none is named. */
function hasOption(command: Command, word: string): boolean {
  const [name = ""] = word.split("=");
  if (name === "--help" || name === "-h") return true;
  const run = command.commands.find((each) => each.name() === "run");
  for (const each of [command, ...(run === undefined ? [] : [run]), ...ancestors(command)]) {
    if (each.options.some((option) => option.long === name || option.short === name)) return true;
  }
  return false;
}

function ancestors(command: Command): readonly Command[] {
  return command.parent === null ? [] : [command.parent, ...ancestors(command.parent)];
}
