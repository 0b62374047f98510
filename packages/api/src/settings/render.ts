/** Owns the texts derived from a schema: the file's template, the help of the flags, the reference page. */
import { type SettingSchema, type SettingValues, splitKey } from "./schema.ts";

/** A commented file with the given values, defaults for the others; `head` are its first lines. */
export function renderSettings<S>(
  schema: SettingSchema<S>,
  head: readonly string[],
  values: Partial<SettingValues<S>> = {},
): string {
  const lines = [...head.map((line) => `# ${line}`), ""];
  let current = "";
  for (const key of schema.keys) {
    const { section, name } = splitKey(key);
    if (section !== current) lines.push(`[${section}]`, "");
    current = section;
    const setting = schema.settingOf(key);
    const value: unknown = values[key] ?? setting.default;
    lines.push(`# ${setting.doc} (${setting.form})`, `${name} = ${setting.toToml(value)}`, "");
  }
  return lines.join("\n");
}

/** One flag for a command's help. `default` as text. */
export interface FlagHelp {
  readonly flag: string;
  readonly form: string;
  readonly doc: string;
  readonly default: string;
}

/** All flags in the schema's order. */
export function settingFlags<S>(schema: SettingSchema<S>): readonly FlagHelp[] {
  return schema.keys.map((key) => {
    const { form, doc, ...setting } = schema.settingOf(key);
    return { flag: `--${key}`, form, doc, default: setting.toToml(setting.default) };
  });
}

/** The reference page of the settings, in Markdown; `head` stands above the table. */
export function renderSettingReference<S>(schema: SettingSchema<S>, head: readonly string[]): string {
  const rows = schema.keys.map((key) => {
    const { form, doc, ...setting } = schema.settingOf(key);
    const value = setting.toToml(setting.default);
    return `| \`${key}\` | \`--${key}\` | \`${schema.environmentName(key)}\` | \`${value}\` | ${form} | ${doc} |`;
  });
  const table = ["| key | flag | environment | default | form | meaning |", "|---|---|---|---|---|---|", ...rows, ""];
  return [...head, "", ...table].join("\n");
}
