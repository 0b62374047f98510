/** Owns the texts derived from the node's schema: app.toml's template, the help of the flags, the reference page. */
import { type FlagHelp, renderSettingReference, renderSettings, settingFlags } from "@cairn/api";
import { NODE_SCHEMA, type NodeConfig } from "./schema.ts";

/** A commented app.toml with the given values, defaults for the others. */
export function renderConfig(values: Partial<NodeConfig> = {}): string {
  const head = [
    "Settings of this node. Each has a flag --<section>.<key> and a variable CAIRN_<SECTION>_<KEY>;",
    "a flag wins over a variable, a variable over this file.",
  ];
  return renderSettings(NODE_SCHEMA, head, values);
}

/** All flags in the schema's order. */
export const flagHelp = (): readonly FlagHelp[] => settingFlags(NODE_SCHEMA);

/** The reference page of the node's settings, in Markdown. */
export function renderConfigReference(): string {
  return renderSettingReference(NODE_SCHEMA, [
    "# Node settings",
    "",
    "Keys of `config/app.toml`. A flag wins over an environment variable, a variable over the file, the file over the",
    "default. An unknown key is an error that names the nearest one.",
  ]);
}
