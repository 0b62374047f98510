/** The argument matrices and transport cases recorded from a real CometBFT node, asked of our RPC on the same chain. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRecording } from "../test-support/recorded-engine.ts";
import { withRecordedRpc } from "../test-support/recorded-rpc.ts";

interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  bodyText?: string;
  bodyPad?: number;
}

interface Case {
  name: string;
  transport: string;
  static?: boolean;
  template?: HttpRequest;
  request?: HttpRequest;
  response: { status: number; headers: Record<string, string>; body: unknown; raw?: string };
}

const ROUTES = [
  "health",
  "status",
  "genesis",
  "block",
  "block_by_hash",
  "blockchain",
  "commit",
  "header",
  "header_by_hash",
  "tx",
  "tx_search",
  "validators",
];
/** Text without its quotes is taken here. */
const TAKEN_BARE = ["tx_search/uri/query-0", "tx_search/uri/order_by-0"];
/** Transport cases about routes or protocols that are not served here. */
const ELSEWHERE = /abci_/;
const TIP = 38;

/** Replaces what depends on the tip at the time of recording. */
function settled(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replace(/height \d+ must be less than or equal to the current blockchain height \d+/g, "height beyond the tip")
      .replace(/greater than max height \d+/g, "greater than the tip")
      .replace(/min height \d+ can't/g, "min height can't")
      .replace(/"last_height":"\d+"/g, '"last_height":"tip"')
      .replace(/"total_count":"\d\d+"/g, '"total_count":"many"')
      .replace(/127\.0\.0\.1:\d+/g, "host"),
  );
}

/** The shape of a value: its keys and the types of its leaves. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return "list";
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member)]));
}

function padded(size: number): string {
  const text = '{"jsonrpc":"2.0","id":1,"method":"health","params":{}}';
  return text + " ".repeat(size - text.length);
}

async function ask(url: string, request: HttpRequest) {
  const text = request.bodyText ?? (request.bodyPad === undefined ? undefined : padded(request.bodyPad));
  const body = text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const type = body === undefined || request.headers !== undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url + request.path, {
    method: request.method,
    headers: { ...type, ...request.headers },
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether an answer is about a height that the recorded blocks end before, or about the moving tip. */
function isMoving(body: unknown, request: HttpRequest): boolean {
  const heights = [...JSON.stringify(settled(body)).matchAll(/height":"(\d+)"/g)].map((match) => Number(match[1]));
  const isDefault = !/hash|height["=:]|Height/.test(JSON.stringify(request).replace("HEIGHT", ""));
  return heights.some((height) => height > TIP) || (isDefault && heights.length > 0);
}

function compare(recorded: Case, answer: Awaited<ReturnType<typeof ask>>, request: HttpRequest): void {
  const { status, headers, body, raw } = recorded.response;
  assert.equal(answer.status, status);
  for (const name of ["content-type", "cache-control", "location"]) {
    assert.equal(answer.headers.get(name) ?? undefined, headers[name], name);
  }
  assert.equal(answer.headers.has("x-server-time"), "x-server-time" in headers);
  if (String(headers["content-type"]).startsWith("text/html") && !("location" in headers)) {
    assert.match(answer.text, request.method === "HEAD" ? /^$/ : /^<html><body><br>Available endpoints:/);
  } else if (isMoving(body, request)) {
    assert.deepEqual(shape(parsedOr(answer.text)), shape(body));
  } else {
    assert.deepEqual(settled(parsedOr(answer.text)), settled(body));
    if (raw !== undefined) assert.equal(answer.text.trimEnd(), raw.trimEnd());
  }
}

describe("consensus RPC against recordings", () => {
  const served = withRecordedRpc();

  for (const file of [...ROUTES.map((route) => `matrix-${route}.jsonl`), "transport.jsonl"]) {
    for (const recorded of readRecording<Case>(file)) {
      const request = recorded.request ?? recorded.template;
      if (recorded.transport === "ws" || recorded.static === true || request === undefined) continue;
      if (file === "transport.jsonl" && ELSEWHERE.test(JSON.stringify(request))) continue;
      if (TAKEN_BARE.includes(recorded.name)) {
        it(recorded.name, async () => {
          const { text } = await ask(served.rpc.url, request);
          assert.equal(JSON.parse(text).result.total_count, "1");
        });
        continue;
      }
      it(recorded.name, async () => compare(recorded, await ask(served.rpc.url, request), request));
    }
  }
});
