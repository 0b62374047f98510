/** Owns joining the sources of the configuration: flag over environment over file over default. Reads no file. */
import { parse } from "smol-toml";
import { ConfigError } from "./config-error.ts";
import { nearest } from "./nearest.ts";
import { CONFIG_KEYS, type ConfigKey, environmentName, type NodeConfig, settingOf, splitKey } from "./schema.ts";
import { SettingError } from "./setting.ts";

/** Where settings come from. Flags by name without `--`; the environment may hold foreign variables. */
export interface ConfigSources {
  /** Text of app.toml. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: Readonly<Record<string, string>>;
}

/** The configuration in force, frozen. Throws `ConfigError`. */
export function resolveConfig({ file = "", env = {}, flags = {} }: ConfigSources): NodeConfig {
  const values = new Map<ConfigKey, unknown>(CONFIG_KEYS.map((key) => [key, settingOf(key).default]));
  for (const [key, value] of fileEntries(file))
    values.set(
      key,
      read(`app.toml key ${key}`, () => settingOf(key).fromToml(value)),
    );
  for (const [key, name, text] of environmentEntries(env))
    values.set(
      key,
      read(name, () => settingOf(key).fromText(text)),
    );
  for (const [name, text] of Object.entries(flags)) {
    const key = knownKey(name, `--${name}`);
    values.set(
      key,
      read(`--${name}`, () => settingOf(key).fromText(text)),
    );
  }
  return Object.freeze(Object.fromEntries(values)) as NodeConfig;
}

/** The settings that flags or the environment fix, whatever app.toml says. */
export function pinnedSettings({ env = {}, flags = {} }: Omit<ConfigSources, "file">): ReadonlySet<ConfigKey> {
  return new Set(CONFIG_KEYS.filter((key) => flags[key] !== undefined || env[environmentName(key)] !== undefined));
}

/** Whether a name is a key of the configuration. */
export function isConfigKey(name: string): name is ConfigKey {
  return CONFIG_KEYS.some((key) => key === name);
}

function knownKey(name: string, source: string): ConfigKey {
  if (isConfigKey(name)) return name;
  throw new ConfigError("unknown-key", source, `unknown; did you mean ${nearest(name, CONFIG_KEYS)}?`);
}

function read<T>(source: string, parseValue: () => T): T {
  try {
    return parseValue();
  } catch (error) {
    if (error instanceof SettingError) throw new ConfigError("invalid-value", source, error.message);
    throw error;
  }
}

function fileEntries(text: string): readonly (readonly [ConfigKey, unknown])[] {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(text);
  } catch (error) {
    throw new ConfigError("unreadable", "app.toml", "is no TOML", { cause: error });
  }
  const sections = new Set(CONFIG_KEYS.map((key) => splitKey(key).section));
  return Object.entries(document).flatMap(([name, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !sections.has(name)) {
      return [[knownKey(name, `app.toml key ${name}`), value] as const];
    }
    return Object.entries(value).map(([inner, member]) => {
      const key = `${name}.${inner}`;
      return [knownKey(key, `app.toml key ${key}`), member] as const;
    });
  });
}

/** Variables of a section that name no key are errors; others belong to someone else. */
function environmentEntries(
  env: Readonly<Record<string, string | undefined>>,
): readonly (readonly [ConfigKey, string, string])[] {
  const byName = new Map(CONFIG_KEYS.map((key) => [environmentName(key), key]));
  const prefixes = CONFIG_KEYS.map((key) => splitKey(key).section)
    .filter((section) => section !== "")
    .map((section) => `${environmentName(section)}_`);
  const entries: (readonly [ConfigKey, string, string])[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined) continue;
    const key = byName.get(name);
    if (key !== undefined) entries.push([key, name, text]);
    else if (prefixes.some((prefix) => name.startsWith(prefix))) {
      throw new ConfigError("unknown-key", name, `unknown; did you mean ${nearest(name, [...byName.keys()])}?`);
    }
  }
  return entries;
}
