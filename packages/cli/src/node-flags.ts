/** The node's settings as flags of a command: one per key of app.toml, from the node's own schema. */
import { flagHelp } from "@cairn/node";
import type { Command } from "commander";

/** Adds `--<section>.<key> <value>` for every setting; the list stands at the end of the command's help. */
export function addNodeFlags(command: Command): Command {
  for (const { flag, form, doc, default: value } of flagHelp()) {
    const option = command.createOption(`${flag} <value>`, `${doc} (${form}; default ${value})`);
    command.addOption(option.helpGroup("Node settings (also in config/app.toml):"));
  }
  return command;
}

/** The settings that were given, by key, as text. */
export function givenNodeFlags(options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const { flag } of flagHelp()) {
    const value = options[camelCase(flag.slice(2))];
    if (typeof value === "string") given[flag.slice(2)] = value;
  }
  return given;
}

/** Commander's name for an option: hyphens become capitals, dots stay. */
function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
