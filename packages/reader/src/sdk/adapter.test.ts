import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ReaderConfigError } from "../config/config-error.ts";
import { parseEntry } from "../config/entry-parser.ts";
import { EndpointError } from "../endpoint-error.ts";
import { startJsonServer } from "../testing/json-server.ts";
import { endpointsOf } from "../worker/reading.ts";
import { createAdapterOpener } from "./open-adapter.ts";

const signal = AbortSignal.timeout(60_000);
const HASH = `0x${"ab".repeat(32)}`;

/** A module as a third party writes it. */
const MODULE = `
export async function createSource(entry) {
  const own = { head: async () => 10, block: async (height) => ({ height, hash: "${HASH}", parentHash: "${HASH}", evidence: { entry } }) };
  return { ...own, ...(entry.settings === undefined ? {} : (await import("./" + entry.settings)).over) };
}`;

async function opened(t: TestContext, over: string | undefined, options: object = {}, module = "./own.mjs") {
  const dir = mkdtempSync(join(tmpdir(), "cairn-adapter-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "own.mjs"), MODULE);
  writeFileSync(join(dir, "empty.mjs"), "export const nothing = 1;");
  if (over !== undefined) writeFileSync(join(dir, "over.mjs"), `export const over = ${over};`);
  const settings = over === undefined ? {} : { settings: "over.mjs" };
  const record = [
    "sdk",
    "own",
    7,
    "http://127.0.0.1:1",
    "any",
    "",
    "key",
    { module, timeout_ms: 200, ...settings, ...options },
  ];
  const { entry } = parseEntry(record, 0);
  assert.ok(entry.kind === "sdk");
  return createAdapterOpener(dir)(entry, endpointsOf(entry));
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => assert.fail("answered"),
    (error: unknown) => (error instanceof EndpointError ? error.code : assert.fail(`${error}`)),
  );
}

test("a third party's module gives head and blocks; it sees the entry", async (t) => {
  const source = await opened(t, undefined, { confirmations: 3 });
  assert.equal(await source.head(signal), 10n);
  assert.equal(await source.takeable(10n, signal), 7n);
  const block = await source.block(5n, signal);
  assert.equal(block?.hash, HASH);
  assert.equal(block?.parentHeight, 4n);
  const auth = { header: "authorization", value: "Bearer key" };
  const seen = { name: "own", chainId: 7, endpoints: ["http://127.0.0.1:1/"], method: "any", auth, timeoutMs: 200 };
  assert.deepEqual(block?.evidence, { entry: seen });
});

const STRANGE: readonly (readonly [string, string, string])[] = [
  ["another height", "{ block: async () => ({ height: 6, hash: '0x00' }) }", "undecodable"],
  ["no hash", "{ block: async (height) => ({ height }) }", "undecodable"],
  ["null: not there yet", "{ block: async () => null }", "missing"],
  ["an exception", "{ block: async () => { throw new TypeError('secret'); } }", "unreachable"],
  ["silence", "{ block: () => new Promise(() => {}) }", "unreachable"],
  [
    "evidence that is no JSON",
    `{ block: async (height) => ({ height, hash: '${HASH}', evidence: 1n }) }`,
    "undecodable",
  ],
];
for (const [what, over, code] of STRANGE) {
  test(`what a module gives is checked: ${what}`, async (t) => {
    assert.equal(await codeOf((await opened(t, over)).block(5n, signal)), code);
  });
}

test("evidence beyond 64 KiB is left out, a skipped height is told from a missing one", async (t) => {
  const big = `{ block: async (height) => height === 5n ? undefined : ({ height, hash: '${HASH}', evidence: "x".repeat(70000) }) }`;
  const source = await opened(t, big);
  assert.equal(await source.block(5n, signal), undefined);
  assert.deepEqual((await source.block(6n, signal))?.evidence, { omitted: "70002 bytes are more than 65536" });
});

test("finality by tag needs a module that tells it", async (t) => {
  const without = await opened(t, undefined, { finality: "finalized" });
  assert.equal(await codeOf(without.takeable(10n, signal)), "undecodable");
  const source = await opened(t, "{ finalized: async () => 8 }", { finality: "finalized" });
  assert.equal(await source.takeable(10n, signal), 8n);
});

test("a module that is not there, or no adapter, is refused by its entry", async (t) => {
  for (const module of ["./nowhere.mjs", "no-such-package", "./empty.mjs"]) {
    await assert.rejects(
      opened(t, undefined, {}, module),
      (error: ReaderConfigError) => error.field === 'entry "own": options.module',
    );
  }
});

test("the built-in Celestia adapter is the family of that name", async (t) => {
  const server = await startJsonServer({ rpc: () => ({ result: { header: { height: "12", chain_id: "mocha-4" } } }) });
  t.after(() => server.close());
  const { entry } = parseEntry(["sdk", "celestia", 131_415, server.url, "header.GetByHeight", "", "jwt"], 0);
  assert.ok(entry.kind === "sdk");
  const source = await createAdapterOpener(".")(entry, endpointsOf(entry));
  assert.equal(await source.head(signal), 12n);
  assert.deepEqual(await source.identity(signal), { network: "mocha-4" });
  assert.equal(server.asked[0]?.headers.authorization, "Bearer jwt");
});

test("a module that cannot be loaded, or gives no source, is refused by its entry; no secret comes with the reason", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-adapter-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const modules: Readonly<Record<string, readonly [text: string, expected: RegExp]>> = {
    syntax: ["export const = 1;", /cannot be loaded \(SyntaxError\)/],
    thrower: [
      "export const createSource = (e) => { throw new TypeError('no access with ' + e.auth.value + ' at ' + e.endpoints[0]); };",
      /createSource failed \(TypeError: no access with \*\*\* at/,
    ],
    silent: [
      "export const createSource = () => new Promise(() => {});",
      /createSource failed \(Error: no answer within 200 ms\)/,
    ],
    empty: ["export const createSource = () => ({ head: 1 });", /gave no source: functions head and block/],
    nothing: ["export const createSource = () => undefined;", /gave no source/],
  };
  for (const [name, [text, expected]] of Object.entries(modules)) {
    writeFileSync(join(dir, `${name}.mjs`), text);
    const options = { module: `./${name}.mjs`, timeout_ms: 200 };
    const url = "http://127.0.0.1:1/a-secret-path";
    const { entry } = parseEntry(["sdk", "own", 7, url, "any", "", "secret-token", options], 0);
    assert.ok(entry.kind === "sdk");
    await assert.rejects(createAdapterOpener(dir)(entry, endpointsOf(entry)), (error: ReaderConfigError) => {
      assert.match(error.message, expected);
      assert.doesNotMatch(error.message, /secret/);
      return error.field === 'entry "own": options.module';
    });
  }
});

test("an adapter's identity may have numbers; anything else is refused", async (t) => {
  const numbers = await opened(t, "{ identity: async () => ({ chainId: 7n, network: 'x', genesis: undefined }) }");
  assert.deepEqual(await numbers.identity(signal), { chainId: "7", network: "x" });
  const strange = await opened(t, "{ identity: async () => ({ network: {} }) }");
  assert.equal(await codeOf(strange.identity(signal)), "undecodable");
});
