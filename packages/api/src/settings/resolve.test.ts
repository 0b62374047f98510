import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, choiceSetting, integerSetting, resolveSettings, settingSchema } from "./index.ts";

const schema = settingSchema({
  fileName: "app.toml",
  environmentPrefix: "APP",
  settings: {
    mode: choiceSetting({ default: "a", words: ["a", "b"], doc: "A mode." }),
    "part.size": integerSetting({ default: 1, least: 1, doc: "A size." }),
    "part.depth": integerSetting({ default: 1, least: 1, doc: "A depth." }),
  },
});

function told(sources: Parameters<typeof resolveSettings>[1]): ConfigError {
  try {
    resolveSettings(schema, sources);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error;
  }
  return assert.fail("nothing was refused");
}

test("a flag wins over a variable, a variable over the file", () => {
  const file = 'mode = "b"\n[part]\nsize = 2\ndepth = 2\n';
  const env = { APP_PART_SIZE: "3", APP_PART_DEPTH: "3", OTHER: "x", APP_OTHER: "theirs" };
  const values = resolveSettings(schema, { file, env, flags: { "part.depth": "4" } });
  assert.deepEqual({ ...values }, { mode: "b", "part.size": 3, "part.depth": 4 });
});

test("every fault of every source is told, a line for each", () => {
  const file = 'mode = "c"\nmood = "a"\n[part]\nsize = "2"\n';
  const error = told({ file, env: { APP_PART_SIZ: "3", APP_PART_DEPTH: "0" }, flags: { "part.depht": "4" } });
  assert.deepEqual(error.message.split("\n"), [
    "app.toml key mode: expected a or b",
    "app.toml key mood: unknown; did you mean mode?",
    "app.toml key part.size: expected an integer of at least 1",
    "APP_PART_SIZ: unknown; did you mean APP_PART_SIZE?",
    "APP_PART_DEPTH: expected an integer of at least 1",
    "--part.depht: unknown; did you mean part.depth?",
  ]);
  assert.deepEqual([error.code, error.source], ["invalid-value", "app.toml key mode"]);
  assert.deepEqual(error.all.map(({ source }) => source).slice(-2), ["APP_PART_DEPTH", "--part.depht"]);
});

test("a file that is no TOML hides no other fault", () => {
  const error = told({ file: "# first\nmode = ", flags: { mode: "c" } });
  assert.equal(error.message, "app.toml: is no TOML (line 2)\n--mode: expected a or b");
  assert.equal(error.code, "unreadable");
});

test("one fault is itself", () => {
  const error = told({ flags: { "part.size": "x" } });
  assert.equal(error.message, "--part.size: expected an integer of at least 1");
  assert.deepEqual(error.all, [error]);
});
