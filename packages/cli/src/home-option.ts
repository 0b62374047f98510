/** The option that names the directory of a node or a service. */
import { join } from "node:path";
import { type Command, Option } from "commander";

/** Where a home is unless a flag says so. */
export const DEFAULT_HOME = process.env.CAIRN_HOME ?? join(process.env.HOME ?? ".", ".cairn");

/** Adds `--home <dir>` and answers the command. `of` is what the directory belongs to. */
export function addHomeOption(command: Command, of: string): Command {
  const option = new Option("--home <dir>", `directory of the ${of} (or CAIRN_HOME)`);
  return command.addOption(option.default(DEFAULT_HOME, "~/.cairn"));
}
