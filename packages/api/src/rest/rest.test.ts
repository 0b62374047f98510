import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  bodyLimits,
  decodeBody,
  openApi,
  parseBlockNumber,
  problemBody,
  problems,
  type Route,
  rejections,
  renderRestReference,
  restRoutes,
  submitProofSchema,
} from "./index.ts";

test("a good body is read, unknown members are named", () => {
  const decoded = decodeBody(submitProofSchema, { proof_data: "x", chain_id: "eip155:59144", "a/b~": 1 });
  assert.equal(decoded.ok, true);
  assert.deepEqual(decoded.ok && decoded.warnings, [{ pointer: "/a~1b~0", detail: "unknown member, ignored" }]);
});

test("the reference says of every field of a body what it is for", () => {
  const fields = renderRestReference().match(/^- body .*$/gm) ?? [];
  assert.ok(fields.length > 30);
  assert.deepEqual(
    fields.filter((line) => !/\): .{5}/.test(line)),
    [],
  );
});

test("every fault has its pointer and code", () => {
  const faults = (body: unknown) => {
    const decoded = decodeBody(submitProofSchema, body);
    return decoded.ok ? [] : decoded.errors.map((error) => `${error.pointer} ${error.code}`);
  };
  assert.deepEqual(faults({}), ["/proof_data required", "/chain_id required"]);
  assert.deepEqual(faults({ proof_data: { a: 1 }, chain_id: 1 }), ["/proof_data type", "/chain_id type"]);
  assert.deepEqual(faults({ proof_data: "", chain_id: "-x" }), ["/proof_data invalid", "/chain_id invalid"]);
  assert.deepEqual(faults({ proof_data: "é".repeat(bodyLimits.proofDataBytes / 2 + 1), chain_id: "1" }), [
    "/proof_data invalid",
  ]);
  assert.deepEqual(faults({ proof_data: "p", chain_id: "1", block_number: 5 }), ["/block_number type"]);
  assert.deepEqual(faults({ proof_data: "p", chain_id: "1", metadata: "m".repeat(5000) }), ["/metadata invalid"]);
  assert.deepEqual(faults({ proof_data: "\ud800", chain_id: "1" }), ["/proof_data invalid"]);
  assert.deepEqual(faults([]), [" type"]);
  assert.deepEqual(faults(null), [" type"]);
});

test("a member nested too deeply is refused by its pointer, an unknown one is ignored", () => {
  const nested = (depth: number, leaf = "") => JSON.parse(`${"[".repeat(depth)}${leaf}${"]".repeat(depth)}`);
  const read = (members: object) => decodeBody(submitProofSchema, { proof_data: "p", chain_id: "1", ...members });
  for (const depth of [129, 30_000, 100_000]) {
    for (const name of ["metadata", "evidence", "proof_data"]) {
      const decoded = read({ [name]: nested(depth) });
      assert.deepEqual(!decoded.ok && decoded.errors.map((error) => error.pointer), [`/${name}`], `${depth}`);
    }
    assert.equal(read({ other: nested(depth) }).ok, true);
  }
  assert.equal(read({ metadata: nested(128) }).ok, true);
  assert.equal(read({ metadata: { a: [{ b: "c" }], d: nested(100, "1") } }).ok, true);
});

test("block numbers become canonical decimal", () => {
  assert.equal(parseBlockNumber("0x1F"), "31");
  assert.equal(parseBlockNumber("18446744073709551615"), "18446744073709551615");
  for (const bad of ["18446744073709551616", "01", "-1", "0x", "1.0", "", " 1", "0x11111111111111111"]) {
    assert.equal(parseBlockNumber(bad), undefined, bad);
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (n) => {
      assert.equal(parseBlockNumber(`0x${n.toString(16)}`), n.toString());
      assert.equal(parseBlockNumber(n.toString()), n.toString());
    }),
  );
});

test("any JSON value is either read or refused with pointers", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.record({ proof_data: fc.jsonValue(), chain_id: fc.jsonValue() })),
      (body) => {
        const decoded = decodeBody(submitProofSchema, body);
        if (decoded.ok) {
          assert.equal(typeof decoded.value.proof_data, "string");
          assert.match(decoded.value.chain_id, /^[A-Za-z0-9]/);
        } else {
          assert.ok(decoded.errors.length > 0);
          for (const error of decoded.errors) assert.match(error.pointer ?? "x", /^(\/|$)/);
        }
      },
    ),
  );
});

test("the documents name every route, problem and rejection", () => {
  const page = renderRestReference();
  const document = openApi() as { paths: Record<string, Record<string, { operationId: string }>> };
  for (const [name, route] of Object.entries(restRoutes)) {
    assert.ok(page.includes(`\`${route.method} ${route.path}\``));
    assert.equal(document.paths[route.path]?.[route.method.toLowerCase()]?.operationId, name);
  }
  for (const code of [...Object.keys(problems), ...Object.keys(rejections)])
    assert.ok(page.includes(`| \`${code}\` |`));
  assert.equal(JSON.stringify(openApi()), JSON.stringify(document));
});

test("a problem has its catalogue's status and text", () => {
  const body = problemBody("not-yet", { extensions: { state: "received" } });
  assert.equal(body.status, 409);
  assert.equal(body.state, "received");
  assert.equal(body.type, "urn:cairn:problem:not-yet");
});

test("debugging tools are for the sandbox only, behind their scope", () => {
  const tools = Object.values<Route>(restRoutes).filter((route) => route.path.startsWith("/v1/sandbox/"));
  assert.ok(tools.length >= 8);
  for (const route of tools)
    assert.deepEqual([route.environment, route.scope], ["sandbox", "sandbox:debug"], route.path);
});
