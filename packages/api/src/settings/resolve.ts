/** Owns joining the sources of a configuration: flag over environment over file over default. Reads no file. */
import { parse } from "smol-toml";
import { ConfigError } from "./config-error.ts";
import { nearest } from "./nearest.ts";
import { type SettingSchema, type SettingValues, splitKey } from "./schema.ts";
import { SettingError } from "./setting.ts";

/** Where settings come from. Flags by name without `--`; the environment may hold foreign variables. */
export interface ConfigSources {
  /** Text of the file. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: Readonly<Record<string, string>>;
}

/** The configuration in force, frozen. Throws `ConfigError`. */
export function resolveSettings<S>(
  schema: SettingSchema<S>,
  { file = "", env = {}, flags = {} }: ConfigSources,
): SettingValues<S> {
  const values = new Map<string, unknown>(schema.keys.map((key) => [key, schema.settingOf(key).default]));
  for (const [key, value] of fileEntries(schema, file)) {
    const setting = schema.settingOf(key);
    values.set(
      key,
      read(`${schema.fileName} key ${key}`, () => setting.fromToml(value)),
    );
  }
  for (const [key, name, text] of environmentEntries(schema, env)) {
    const setting = schema.settingOf(key);
    values.set(
      key,
      read(name, () => setting.fromText(text)),
    );
  }
  for (const [name, text] of Object.entries(flags)) {
    const key = knownKey(schema, name, `--${name}`);
    values.set(
      key,
      read(`--${name}`, () => schema.settingOf(key).fromText(text)),
    );
  }
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

function knownKey<S>(schema: SettingSchema<S>, name: string, source: string): keyof S & string {
  if (schema.isKey(name)) return name;
  throw new ConfigError("unknown-key", source, `unknown; did you mean ${nearest(name, schema.keys)}?`);
}

function read<T>(source: string, parseValue: () => T): T {
  try {
    return parseValue();
  } catch (error) {
    if (error instanceof SettingError) throw new ConfigError("invalid-value", source, error.message);
    throw error;
  }
}

function fileEntries<S>(schema: SettingSchema<S>, text: string): readonly (readonly [keyof S & string, unknown])[] {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(text);
  } catch (error) {
    throw new ConfigError("unreadable", schema.fileName, "is no TOML", { cause: error });
  }
  const where = (key: string) => `${schema.fileName} key ${key}`;
  const sections = new Set(schema.keys.map((key) => splitKey(key).section));
  return Object.entries(document).flatMap(([name, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !sections.has(name)) {
      return [[knownKey(schema, name, where(name)), value] as const];
    }
    return Object.entries(value).map(([inner, member]) => {
      const key = `${name}.${inner}`;
      return [knownKey(schema, key, where(key)), member] as const;
    });
  });
}

/** Variables of a section that name no key are errors; others belong to someone else. */
function environmentEntries<S>(
  schema: SettingSchema<S>,
  env: Readonly<Record<string, string | undefined>>,
): readonly (readonly [keyof S & string, string, string])[] {
  const byName = new Map(schema.keys.map((key) => [schema.environmentName(key), key]));
  const prefixes = schema.keys
    .map((key) => splitKey(key).section)
    .filter((section) => section !== "")
    .map((section) => `${schema.environmentName(section)}_`);
  const entries: (readonly [keyof S & string, string, string])[] = [];
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
