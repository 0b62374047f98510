import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "@cairn/api";
import fc from "fast-check";
import { withTopLevelSetting } from "./edit.ts";
import { renderConfig } from "./render.ts";
import { resolveConfig } from "./resolve.ts";

const KEY = "minimum-gas-prices";

test("changes the one line, however it is spelled", () => {
  const texts = [
    renderConfig(),
    "",
    "[json-rpc]\nenable = true\n",
    "minimum-gas-prices = '7'",
    '  "minimum-gas-prices"="7" # dear\n\n[json-rpc]\napi = ["eth"]\n',
    '# minimum-gas-prices = "1"\nminimum-gas-prices = "2"\n',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }), (text, wei) => {
      const edited = withTopLevelSetting(text, KEY, wei);
      assert.deepEqual(resolveConfig({ file: edited }), { ...resolveConfig({ file: text }), [KEY]: wei });
      const kept = text.split("\n").filter((line) => !/^\s*"?minimum-gas-prices/.test(line));
      for (const line of kept) assert.ok(edited.split("\n").includes(line));
    }),
  );
});

test("refuses a text that is no app.toml", () => {
  assert.throws(() => withTopLevelSetting("[json-rpc", KEY, 1n), ConfigError);
  assert.throws(() => withTopLevelSetting("unknown = 1", KEY, 1n), ConfigError);
});
