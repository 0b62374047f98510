/** The end of every command's help: examples that work, what else is to know, the exit codes. */
import type { Command } from "commander";

/** What stands there. */
export interface Ending {
  /** Commands as they are typed, one or more. */
  readonly examples: readonly string[];
  /** Further lines, between the examples and the codes. */
  readonly notes?: readonly string[];
  /** Each exit code and its meaning; default: 0 done, 1 failed, 2 wrong usage. */
  readonly codes?: string;
}

/** Adds the ending to a command and answers the command. */
export function addEnding(command: Command, ending: Ending): Command {
  const { examples, notes = [], codes = "0 done, 1 failed, 2 wrong usage" } = ending;
  const lines = [
    "",
    examples.length === 1 ? "Example:" : "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
    ...notes,
    `Exit codes: ${codes}.`,
  ];
  return command.addHelpText("after", lines.join("\n"));
}
