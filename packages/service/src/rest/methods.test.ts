/** Methods that a path has not: 405 with `Allow` (RFC 9110, section 15.5.6), before anything is read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Route, restRoutes } from "@cairn/api";
import { call, runService } from "../testing/fixture.ts";
import { createServedPaths } from "./served-paths.ts";

test("a path's methods are found by its pattern, whatever stands in its places", () => {
  const served = createServedPaths();
  served.add("GET", "/v1/webhooks/{id}");
  served.add("DELETE", "/v1/webhooks/{id}");
  served.add("GET", "/openapi.json");
  served.add("GET", "/v1/proofs/{id}/receipt.ots");
  assert.deepEqual(served.methodsOf("/v1/webhooks/wh_1?x=/y"), ["GET", "HEAD", "DELETE"]);
  assert.deepEqual(served.methodsOf("/v1/proofs/%20/receipt.ots"), ["GET", "HEAD"]);
  for (const none of ["/v1/webhooks", "/v1/webhooks/", "/v1/webhooks/a/b", "/openapi-json", "/", "", "//"]) {
    assert.deepEqual(served.methodsOf(none), [], none);
  }
});

test("every path refuses the methods it has not, and names those it has", async (t) => {
  const service = await runService(t);
  const byPath = new Map<string, string[]>();
  for (const { path, method } of Object.values<Route>(restRoutes)) {
    byPath.set(path, [...(byPath.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  assert.ok(byPath.size >= 30);
  for (const [pattern, methods] of byPath) {
    const path = pattern.replaceAll(/\{\w+\}/g, "x");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (methods.includes(method)) continue;
      const headers = { authorization: "", "content-type": "text/nonsense" };
      const body = method === "GET" || method === "OPTIONS" ? {} : { body: "x".repeat(100) };
      const answer = await call(service, path, { method, headers, ...body });
      assert.deepEqual([answer.status, answer.body.code], [405, "method-not-allowed"], `${method} ${path}`);
      assert.deepEqual(new Set(answer.headers.get("allow")?.split(", ")), new Set(methods), path);
      assert.match(String(answer.body.detail), /^this path takes /);
    }
  }
  const head = await fetch(`${service.url}/v1/submit-proof`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("allow")], [405, "POST"]);
});
