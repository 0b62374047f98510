/** Owns changing one setting in the text of app.toml, leaving comments and everything else as they stand. */
import { splitKey } from "@cairn/api";
import { resolveConfig } from "./resolve.ts";
import { type ConfigKey, NODE_SCHEMA } from "./schema.ts";

/**
 * The text with one top-level setting changed, or added at the top. Throws `ConfigError` for a text that is no
 * app.toml.
 */
export function withTopLevelSetting(text: string, key: ConfigKey, value: unknown): string {
  const { section, name } = splitKey(key);
  if (section !== "") throw new TypeError(`${key} stands in a section`);
  resolveConfig({ file: text });
  const line = `${name} = ${NODE_SCHEMA.settingOf(key).toToml(value)}`;
  const lines = text.split("\n");
  const firstSection = lines.findIndex((entry) => /^\s*\[/.test(entry));
  const head = firstSection < 0 ? lines : lines.slice(0, firstSection);
  const at = head.findIndex(
    (entry) =>
      entry
        .trimStart()
        .replace(/^(["'])(.*?)\1/, "$2")
        .match(/^[\w-]+/)?.[0] === name,
  );
  const edited = (at < 0 ? [line, ...lines] : lines.with(at, line)).join("\n");
  if (resolveConfig({ file: edited })[key] !== value) throw new TypeError(`${key} could not be changed`);
  return edited;
}
