/** Owns the texts derived from the schema: app.toml's template, the help of the flags, the reference page. */
import { CONFIG_KEYS, environmentName, type NodeConfig, settingOf, splitKey } from "./schema.ts";

/** A commented app.toml with the given values, defaults for the others. */
export function renderConfig(values: Partial<NodeConfig> = {}): string {
  const lines = ["# Settings of this node. Each has a flag --<section>.<key> and a variable CAIRN_<SECTION>_<KEY>;"];
  lines.push("# a flag wins over a variable, a variable over this file.", "");
  let current = "";
  for (const key of CONFIG_KEYS) {
    const { section, name } = splitKey(key);
    if (section !== current) lines.push(`[${section}]`, "");
    current = section;
    const setting = settingOf(key);
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
export function flagHelp(): readonly FlagHelp[] {
  return CONFIG_KEYS.map((key) => {
    const { form, doc, ...setting } = settingOf(key);
    return { flag: `--${key}`, form, doc, default: setting.toToml(setting.default) };
  });
}

/** The reference page of the node's settings, in Markdown. */
export function renderConfigReference(): string {
  const rows = CONFIG_KEYS.map((key) => {
    const { form, doc, ...setting } = settingOf(key);
    const value = setting.toToml(setting.default);
    return `| \`${key}\` | \`--${key}\` | \`${environmentName(key)}\` | \`${value}\` | ${form} | ${doc} |`;
  });
  return [
    "# Node settings",
    "",
    "Keys of `config/app.toml`. A flag wins over an environment variable, a variable over the file, the file over the",
    "default. An unknown key is an error that names the nearest one.",
    "",
    "| key | flag | environment | default | form | meaning |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
