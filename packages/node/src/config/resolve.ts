/** Owns joining the sources of the node's configuration. */
import { type ConfigSources, resolveSettings, settingsPinned } from "@cairn/api";
import { type ConfigKey, NODE_SCHEMA, type NodeConfig } from "./schema.ts";

/** The configuration in force, frozen: flag over environment over app.toml over default. Throws `ConfigError`. */
export const resolveConfig = (sources: ConfigSources): NodeConfig => resolveSettings(NODE_SCHEMA, sources);

/** The settings that flags or the environment fix, whatever app.toml says. */
export const pinnedSettings = (sources: Omit<ConfigSources, "file">): ReadonlySet<ConfigKey> =>
  settingsPinned(NODE_SCHEMA, sources);
