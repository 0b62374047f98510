/** Owns a home's service.toml: where it stands, reading it with flags and environment, its texts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ConfigError,
  type ConfigSources,
  type FlagHelp,
  renderSettingReference,
  renderSettings,
  resolveSettings,
  settingFlags,
} from "@cairn/api";
import { SERVICE_SCHEMA, type ServiceConfig } from "./schema.ts";

/** Path of a home's service.toml. */
export const serviceConfigFile = (home: string): string => join(home, "config/service.toml");

/** The configuration of a home under the given environment and flags. Throws `ConfigError`. */
export function loadServiceConfig(o: { readonly home: string } & Omit<ConfigSources, "file">): ServiceConfig {
  const { home, ...sources } = o;
  return resolveServiceConfig({ file: readConfig(home), ...sources });
}

/** The configuration of its sources: flag over environment over file over default. Throws `ConfigError`. */
export const resolveServiceConfig = (sources: ConfigSources): ServiceConfig => resolveSettings(SERVICE_SCHEMA, sources);

function readConfig(home: string): string {
  try {
    return readFileSync(serviceConfigFile(home), "utf8");
  } catch (error) {
    const problem = "is missing or cannot be read; make it with: cairn service init";
    throw new ConfigError("unreadable", "config/service.toml", problem, { cause: error });
  }
}

/** A commented service.toml with the given values, defaults for the others. */
export function renderServiceConfig(values: Partial<ServiceConfig> = {}): string {
  const head = [
    "Settings of the proof service. Each has a flag --<section>.<key> and a variable CAIRN_SERVICE_<SECTION>_<KEY>;",
    "a flag wins over a variable, a variable over this file. It holds the Bitcoin node's password: keep it private.",
  ];
  return renderSettings(SERVICE_SCHEMA, head, values);
}

/** All flags in the schema's order. */
export const serviceFlags = (): readonly FlagHelp[] => settingFlags(SERVICE_SCHEMA);

/** The reference page of the service's settings, in Markdown. */
export function renderServiceConfigReference(): string {
  return renderSettingReference(SERVICE_SCHEMA, [
    "# Service settings",
    "",
    "Keys of `config/service.toml`. A flag wins over an environment variable, a variable over the file, the file over",
    "the default. An unknown key is an error that names the nearest one. `cairn service check` reads them without",
    "starting.",
  ]);
}
