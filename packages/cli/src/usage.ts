/** Checks of a command line that commander makes too early, or answers in words that mislead. */
import { type Command, Option } from "commander";

/** Adds an option that must be given. That it is missing is said last: a misspelt one is named first. */
export function addRequiredOption<T = string>(
  command: Command,
  flags: string,
  doc: string,
  parse?: (text: string) => T,
): Command {
  const option = new Option(flags, `${doc} (required)`);
  if (parse !== undefined) option.argParser(parse);
  return command.addOption(option).hook("preAction", () => {
    if (command.getOptionValue(option.attributeName()) !== undefined) return;
    command.error(`error: required option '${flags}' not specified`);
  });
}

/** Makes a command that runs by itself name the commands of `group` when a word follows that is none of them. */
export function refuseOtherWords(command: Command, group: Command): Command {
  return command.allowExcessArguments().hook("preAction", (_, action) => {
    if (action !== command || command.args.length === 0) return;
    const names = group.commands.map((each) => each.name()).join(", ");
    command.error(`error: unknown command '${command.args[0]}'\n(${group.name()} has ${names})`);
  });
}
