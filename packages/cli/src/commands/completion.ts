/** `cairn completion`: a script that completes the commands and options of this program in a shell. */
import { Argument, type Command } from "commander";
import { addEnding, type Ending } from "../help-ending.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const ENDING: Ending = {
  examples: [
    "source <(cairn completion bash)",
    `cairn completion zsh > "\${fpath[1]}/_cairn"`,
    "cairn completion fish > ~/.config/fish/completions/cairn.fish",
  ],
  codes: "0 printed, 2 wrong usage",
};

/** Adds the command; it describes the whole program at the time it is called. */
export function addCompletionCommand(program: Command): void {
  const command = program
    .command("completion")
    .description("print a completion script for a shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, wordsOf(program))));
  addEnding(command, ENDING);
}

/** What may follow a path of command words: subcommands and options. */
export interface CompletionWords {
  /** Command words joined by spaces; empty for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
}

/** Every path of the program with its words. */
export function wordsOf(program: Command, path = ""): readonly CompletionWords[] {
  const options = program.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const names = program.commands.map((command) => command.name());
  const below = program.commands.flatMap((command) => wordsOf(command, `${path} ${command.name()}`.trim()));
  return [{ path, words: [...names, ...options, "--help"] }, ...below];
}

/** The script for a shell; zsh takes bash's through its compatibility module. */
export function completionScript(shell: Shell, words: readonly CompletionWords[]): string {
  if (shell === "fish") return fishScript(words);
  const lines = [
    ...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []),
    "_cairn() {",
    '  local path="" words="" word',
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$path/$word" in',
    `      ${steps(words).join(" | ")}) path="\${path:+$path }$word" ;;`,
    "    esac",
    "  done",
    '  case "$path" in',
    ...words.map(({ path, words: list }) => `    "${path}") words="${list.join(" ")}" ;;`),
    "  esac",
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    "}",
    "complete -o default -F _cairn cairn ./cairn",
  ];
  return `${lines.join("\n")}\n`;
}

/** Each command word after the path it may follow. */
function steps(words: readonly CompletionWords[]): readonly string[] {
  return words.flatMap(({ path }) => {
    const at = path.lastIndexOf(" ");
    return path === "" ? [] : [`"${path.slice(0, Math.max(at, 0))}/${path.slice(at + 1)}"`];
  });
}

function fishScript(words: readonly CompletionWords[]): string {
  const lines = words.map(({ path, words: list }) => {
    const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const condition = path === "" ? "__fish_use_subcommand" : seen.join("; and ");
    return `complete -c cairn -n '${condition}' -a '${list.join(" ")}'`;
  });
  return `complete -c cairn\n${lines.join("\n")}\n`;
}
