import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyOrigin, isHostAllowed } from "./admission.ts";

const rules = { origins: ["localhost", "127.0.0.1", "https://app.example"], vhosts: ["localhost", "node.example"] };

test("hosts: listed names and IP addresses", () => {
  for (const host of [
    "localhost:8545",
    "LOCALHOST",
    "127.0.0.1:1",
    "10.0.0.9",
    "[::1]:8545",
    "node.example",
    "",
    undefined,
  ]) {
    assert.equal(isHostAllowed(host, rules), true, host);
  }
  for (const host of ["evil.example", "localhost.evil.example:8545", "1.2.3.4.evil.example"]) {
    assert.equal(isHostAllowed(host, rules), false, host);
  }
  assert.equal(isHostAllowed("evil.example", { ...rules, vhosts: ["*"] }), true);
});

test("origins: listed names, full origins, extensions", () => {
  const cases: [string | undefined, string][] = [
    [undefined, "none"],
    ["http://localhost:3000", "allowed"],
    ["https://127.0.0.1", "allowed"],
    ["https://app.example", "allowed"],
    ["http://app.example", "refused"],
    ["https://evil.example", "refused"],
    ["https://localhost.evil.example", "refused"],
    ["null", "refused"],
    ["file://", "refused"],
    ["chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn", "extension"],
    ["moz-extension://6a1b", "extension"],
  ];
  for (const [origin, expected] of cases) assert.equal(classifyOrigin(origin, rules), expected, origin);
  assert.equal(classifyOrigin("https://evil.example", { ...rules, origins: ["*"] }), "allowed");
  assert.equal(classifyOrigin("http://localhost", { ...rules, origins: [] }), "refused");
});
