/** Owns joining the sources of a configuration: flag over environment over file over default. Reads no file. */
import { parse, TomlError } from "smol-toml";
import { ConfigError, configFaults } from "./config-error.ts";
import { nearest } from "./nearest.ts";
import { type SettingSchema, type SettingValues, splitKey } from "./schema.ts";
import { type Setting, SettingError } from "./setting.ts";

/** Where settings come from. Flags by name without `--`; the environment may hold foreign variables. */
export interface ConfigSources {
  /** Text of the file. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: Readonly<Record<string, string>>;
}

/** A setting that a source gives. */
interface Given {
  /** Where, as errors say it. */
  readonly source: string;
  readonly name: string;
  /** The nearest name that there is, when there is none like this. */
  readonly nearest: () => string | undefined;
  read(setting: Setting<unknown>): unknown;
}

/** The configuration in force, frozen. Throws `ConfigError` with every fault of every source. */
export function resolveSettings<S>(
  schema: SettingSchema<S>,
  { file = "", env = {}, flags = {} }: ConfigSources,
): SettingValues<S> {
  const values = new Map<string, unknown>(schema.keys.map((key) => [key, schema.settingOf(key).default]));
  const faults = configFaults();
  const sources = [
    ...(faults.attempt(() => fromFile(schema, file)) ?? []),
    ...fromEnvironment(schema, env),
    ...fromFlags(schema, flags),
  ];
  for (const given of sources) {
    faults.attempt(() => {
      const key = knownKey(schema, given);
      values.set(key, read(given, schema.settingOf(key)));
    });
  }
  faults.refuse();
  return Object.freeze(Object.fromEntries(values)) as SettingValues<S>;
}

/** The settings that flags or the environment fix, whatever the file says. */
export function settingsPinned<S>(
  schema: SettingSchema<S>,
  { env = {}, flags = {} }: Omit<ConfigSources, "file">,
): ReadonlySet<keyof S & string> {
  return new Set(
    schema.keys.filter((key) => flags[key] !== undefined || env[schema.environmentName(key)] !== undefined),
  );
}

function knownKey<S>(schema: SettingSchema<S>, { source, name, nearest: near }: Given): keyof S & string {
  if (schema.isKey(name)) return name;
  throw new ConfigError("unknown-key", source, `unknown; did you mean ${near()}?`);
}

function read(given: Given, setting: Setting<unknown>): unknown {
  try {
    return given.read(setting);
  } catch (error) {
    if (error instanceof SettingError) throw new ConfigError("invalid-value", given.source, error.message);
    throw error;
  }
}

function fromFile<S>(schema: SettingSchema<S>, text: string): readonly Given[] {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(text);
  } catch (error) {
    // Nothing of the text itself: a secret may stand there.
    const where = error instanceof TomlError ? ` (line ${error.line})` : "";
    throw new ConfigError("unreadable", schema.fileName, `is no TOML${where}`, { cause: error });
  }
  const sections = new Set(schema.keys.map((key) => splitKey(key).section));
  const given = (name: string, value: unknown): Given => ({
    source: `${schema.fileName} key ${name}`,
    name,
    nearest: () => nearest(name, schema.keys),
    read: (setting) => setting.fromToml(value),
  });
  return Object.entries(document).flatMap(([name, value]) =>
    typeof value !== "object" || value === null || Array.isArray(value) || !sections.has(name)
      ? [given(name, value)]
      : Object.entries(value).map(([inner, member]) => given(`${name}.${inner}`, member)),
  );
}

function fromFlags<S>(schema: SettingSchema<S>, flags: Readonly<Record<string, string>>): readonly Given[] {
  return Object.entries(flags).map(([name, text]) => ({
    source: `--${name}`,
    name,
    nearest: () => nearest(name, schema.keys),
    read: (setting) => setting.fromText(text),
  }));
}

/** Variables of a section that name no key are errors; others belong to someone else. */
function fromEnvironment<S>(
  schema: SettingSchema<S>,
  env: Readonly<Record<string, string | undefined>>,
): readonly Given[] {
  const byName = new Map(schema.keys.map((key): [string, string] => [schema.environmentName(key), key]));
  const prefixes = schema.keys
    .map((key) => splitKey(key).section)
    .filter((section) => section !== "")
    .map((section) => `${schema.environmentName(section)}_`);
  return Object.entries(env).flatMap(([variable, text]) => {
    const isOurs = byName.has(variable) || prefixes.some((prefix) => variable.startsWith(prefix));
    if (text === undefined || !isOurs) return [];
    return [
      {
        source: variable,
        name: byName.get(variable) ?? variable,
        nearest: () => nearest(variable, [...byName.keys()]),
        read: (setting: Setting<unknown>) => setting.fromText(text),
      },
    ];
  });
}
