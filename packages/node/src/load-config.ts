/** Owns reading a home's app.toml; joining it with flags and environment is `config/resolve.ts`. */
import { readFile } from "node:fs/promises";
import { ConfigError, type ConfigSources } from "@cairn/api";
import { resolveConfig } from "./config/resolve.ts";
import type { NodeConfig } from "./config/schema.ts";
import { nodeHome } from "./home.ts";

/** The configuration of a home under the given environment and flags. Throws `ConfigError`. */
export async function loadNodeConfig({
  home,
  ...sources
}: { readonly home: string } & Omit<ConfigSources, "file">): Promise<NodeConfig> {
  let file: string;
  try {
    file = await readFile(nodeHome(home).appToml, "utf8");
  } catch (error) {
    throw new ConfigError("unreadable", "app.toml", "is missing or cannot be read", { cause: error });
  }
  return resolveConfig({ file, ...sources });
}
