/**
 * A configuration as one schema: the list of settings from which defaults, flags, environment names, the commented
 * template and the reference page come. Owns names and types; which settings there are is each composition root's.
 */
import type { Setting } from "./setting.ts";

type ValueOf<S> = S extends { readonly default: infer T } ? T : never;

/** The configuration in force: every key with its value. */
export type SettingValues<S> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** What a configuration is made of. */
export interface SchemaOptions<S> {
  /** Name of its file, as errors say it: `app.toml`. */
  readonly fileName: string;
  /** Begins the names of its environment variables: `CAIRN`. */
  readonly environmentPrefix: string;
  readonly settings: S;
}

/** A configuration's schema. */
export interface SettingSchema<S> extends SchemaOptions<S> {
  /** All keys in the order of the template. */
  readonly keys: readonly (keyof S & string)[];
  /** The setting behind a key, its value type forgotten. */
  settingOf(key: keyof S & string): Setting<unknown>;
  isKey(name: string): name is keyof S & string;
  /** `<PREFIX>_<SECTION>_<KEY>`. */
  environmentName(key: string): string;
}

/** Makes a schema of its settings. */
export function settingSchema<const S extends Readonly<Record<string, unknown>>>(
  o: SchemaOptions<S>,
): SettingSchema<S> {
  const keys = Object.keys(o.settings);
  return {
    ...o,
    keys,
    settingOf: (key) => o.settings[key] as Setting<unknown>,
    isKey: (name): name is keyof S & string => keys.includes(name),
    environmentName: (key) => `${o.environmentPrefix}_${key.replaceAll(/[.-]/g, "_").toUpperCase()}`,
  };
}

/** Section and name of a key; the section of a top-level key is empty. */
export function splitKey(key: string): { readonly section: string; readonly name: string } {
  const dot = key.indexOf(".");
  return dot < 0 ? { section: "", name: key } : { section: key.slice(0, dot), name: key.slice(dot + 1) };
}
