/** Sources of families over servers with recorded answers, for tests. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { RpcEntry } from "../config/entry.ts";
import { parseEntry } from "../config/entry-parser.ts";
import { EndpointError } from "../endpoint-error.ts";
import { createFamilySource } from "../family-source.ts";
import { endpointsOf } from "../worker/reading.ts";
import { type Answer, type JsonServer, startJsonServer } from "./json-server.ts";

/** A source whose method selects its family, on a server of its own. */
export async function sourceOf(
  t: TestContext,
  method: string,
  server: Parameters<typeof startJsonServer>[0],
  options: object = {},
) {
  const running: JsonServer = await startJsonServer(server);
  t.after(() => running.close());
  const { entry } = parseEntry(["rpc", "x", 1, running.url, method, "", "key-for-tests", options], 0);
  assert.ok(entry.kind === "rpc");
  const { family: row, finality, hashCheck }: RpcEntry = entry;
  return { server: running, source: createFamilySource({ row, pool: endpointsOf(entry), finality, hashCheck }) };
}

/** Answers by `method params`, else by method. */
export function rpcOf(answers: Readonly<Record<string, unknown>>) {
  return (method: string, params: unknown): Answer => {
    const key = [`${method} ${JSON.stringify(params)}`, method].find((known) => known in answers);
    const answer = key === undefined ? { error: { code: -32_601, message: "method not found" } } : answers[key];
    return typeof answer === "object" && answer !== null && "error" in answer ? (answer as Answer) : { result: answer };
  };
}

/** The code of the refusal. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof EndpointError ? error.code : assert.fail(`${error}`);
  }
  return assert.fail("answered");
}
