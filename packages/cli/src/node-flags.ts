/** The node's settings as options of a command. */
import { flagHelp } from "@cairn/node";
import type { Command } from "commander";
import { addSettingOptions, givenOptions } from "./setting-options.ts";

/** Adds an option for every setting of app.toml. */
export function addNodeFlags(command: Command): Command {
  return addSettingOptions(command, flagHelp(), "Node settings (also in config/app.toml):");
}

/** The settings that were given, by key, as text. */
export function givenNodeFlags(options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const names = flagHelp().map(({ flag }) => flag.slice(2));
  return givenOptions(options, names);
}
