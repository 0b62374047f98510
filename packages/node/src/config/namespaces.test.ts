import assert from "node:assert/strict";
import { test } from "node:test";
import { SUPPORTED_NAMESPACES } from "@cairn/api";
import { NAMESPACES } from "./schema.ts";

test("every namespace that is served can be enabled", () => {
  for (const namespace of SUPPORTED_NAMESPACES) assert.ok(NAMESPACES.includes(namespace), namespace);
  assert.ok(NAMESPACES.includes("trace") && NAMESPACES.includes("ots"));
});
