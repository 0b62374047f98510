/** Settings of a configuration file as options of a command: one per key, from the schema that reads the file. */
import type { Command } from "commander";

/** A setting as its schema describes it. */
export interface SettingFlag {
  /** `--section.key`. */
  readonly flag: string;
  readonly form: string;
  readonly doc: string;
  readonly default: string;
}

/**
 * Adds `--<section>.<key> <value>` for every setting. `group` is the title over them in the command's help; without it
 * they are taken and not listed.
 */
export function addSettingOptions(command: Command, settings: readonly SettingFlag[], group?: string): Command {
  for (const { flag, form, doc, default: value } of settings) {
    const option = command.createOption(`${flag} <value>`, `${doc} (${form}; default ${value})`);
    command.addOption(group === undefined ? option.hideHelp() : option.helpGroup(group));
  }
  return command;
}

/** The options of `names` (without dashes) that were given, as text. */
export function givenOptions(
  options: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const name of names) {
    const value = options[camelCase(name)];
    if (typeof value === "string") given[name] = value;
  }
  return given;
}

/** Commander's name for an option: hyphens become capitals, dots stay. */
function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
