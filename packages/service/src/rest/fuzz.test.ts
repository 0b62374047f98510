/** Hostile requests to every route: only what is documented is answered, and nothing of the inside is told. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type ProblemCode, problems, type Route, restRoutes } from "@cairn/api";
import fc from "fast-check";
import type { RunningService } from "../index.ts";
import { call, post, runService, TOKEN, temporaryHome } from "../testing/fixture.ts";

const RUNS = Number(process.env.CAIRN_FUZZ_RUNS ?? 400);
const RATE = { perWindow: 1_000_000, burst: 1_000_000 };
const ENDLESS = { attempts: RATE, accessRequests: RATE, publicReads: RATE };
const INSIDE =
  /node:|node_modules|\.ts\b|sqlite|SELECT |INSERT |\/tmp\/|\/home\/|\bat [\w.]+ \(|ECONN|undefined is not/i;

interface Hostile {
  readonly operation: keyof typeof restRoutes;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;
}

/** The stream has no end; mining makes the chain long; readiness is rightly refused without a node. */
const LEFT_OUT = new Set<string>([
  "streamEvents",
  "readyz",
  "mineBitcoin",
  "reorgBitcoin",
  "forceBatch",
  "forceAnchor",
]);
const operations = (Object.keys(restRoutes) as (keyof typeof restRoutes)[]).filter((name) => !LEFT_OUT.has(name));

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const members = ["proof_data", "chain_id", "items", "url", "events", "since", "dead", "metadata", "amount", "limit"];
const odd = fc.oneof(
  fc.constantFrom("", "0", "-1", "1e309", "NaN", "null", "%00", "%2e%2e%2f", "'; --", "a".repeat(300), "\u{1f4a9}"),
  fc.constantFrom(`0x${"11".repeat(32)}`, `wh_${"0".repeat(32)}`, "18446744073709551616", "2026-13-45T99:99:99Z"),
  fc.string({ unit: "grapheme" }),
);
const bodyText = fc.oneof(
  fc.json(),
  fc.dictionary(fc.constantFrom(...members), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.integer({ min: 100, max: 60_000 }).map((depth) => `{"metadata":${nested(depth)},"proof_data":"x","chain_id":"a"}`),
  fc.constantFrom(
    "",
    "{",
    "[]",
    "null",
    "0",
    '"',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    "\ufeff{}",
    "{}x",
    "1e400",
  ),
  fc.constantFrom(
    '{"proof_data":"\\ud800","chain_id":"a"}',
    `{"items":[${"{},".repeat(1_000)}{}]}`,
    "[".repeat(50_000),
  ),
  fc.integer({ min: 1, max: 400_000 }).map((size) => JSON.stringify({ proof_data: "f".repeat(size), chain_id: "big" })),
);
const bodyBytes = fc.oneof(
  bodyText.map((sent) => Buffer.from(sent)),
  bodyText.map((sent) => Buffer.from(sent, "utf16le")),
  bodyText.map((sent) => gzipSync(sent)),
  fc.uint8Array({ maxLength: 200 }),
);
const headerText = fc.stringMatching(/^[ -~]{0,40}$/);
const hostile: fc.Arbitrary<Hostile> = fc
  .record({
    operation: fc.constantFrom(...operations),
    params: fc.array(odd, { minLength: 2, maxLength: 2 }),
    query: fc.array(fc.tuple(fc.constantFrom(...members, "state", "cursor", "statement", "external_id"), odd), {
      maxLength: 3,
    }),
    named: fc.dictionary(
      fc.constantFrom("if-none-match", "idempotency-key", "x-request-id", "last-event-id", "accept"),
      headerText,
    ),
    type: fc.constantFrom(
      "application/json",
      "application/json; charset=utf-16",
      "text/plain",
      "application/x+json",
      "",
    ),
    authorization: fc.constantFrom(`Bearer ${TOKEN}`, `Bearer ${TOKEN}`, `Bearer ${TOKEN}`, "Bearer x", ""),
    body: fc.option(bodyBytes, { nil: undefined }),
  })
  .map(({ operation, params, query, named, type, authorization, body }) => {
    let at = 0;
    const fill = (): string => {
      at += 1;
      return encodeURIComponent((params[at - 1] ?? "").toWellFormed());
    };
    const path = restRoutes[operation].path.replaceAll(/\{\w+\}/g, fill);
    const asked = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&");
    const headers = {
      ...named,
      ...(type === "" ? {} : { "content-type": type }),
      ...(authorization === "" ? {} : { authorization }),
    };
    return { operation, path: asked === "" ? path : `${path}?${asked}`, headers, body };
  });

async function send(service: RunningService, { operation, path, headers, body }: Hostile) {
  const { hostname, port } = new URL(service.url);
  const { method } = restRoutes[operation];
  const bytes = method === "GET" ? undefined : body;
  const length = bytes === undefined ? {} : { "content-length": bytes.length };
  const asked = request({ hostname, port, path, method, headers: { ...headers, ...length }, agent: false });
  asked.end(bytes);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

/** Codes a route may refuse with: its own, and those of any request. */
function documented(route: Route): ReadonlySet<string> {
  const anywhere: readonly ProblemCode[] = ["invalid-request", "rate-limited", "not-found"];
  return new Set<string>([...route.errors, ...anywhere]);
}

function judge(route: Route, answer: Awaited<ReturnType<typeof send>>): void {
  assert.ok(answer.headers["x-request-id"]);
  if (answer.status < 400) {
    assert.ok(Object.hasOwn(route.responses, answer.status), `${answer.status} is not documented`);
    return;
  }
  assert.ok(answer.status < 500, `${answer.status} ${answer.bytes}`);
  assert.match(answer.headers["content-type"] ?? "", /^application\/problem\+json/);
  const problem = JSON.parse(answer.bytes.toString());
  assert.ok(documented(route).has(problem.code), `${problem.code} is not documented`);
  assert.equal(problems[problem.code as ProblemCode].status, answer.status);
  const told = JSON.stringify({ ...problem, request_id: "", errors: undefined });
  assert.doesNotMatch(told, INSIDE);
}

test("hostile requests to every route", { timeout: 240_000 }, async (t) => {
  const logged: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (_fields: object, message: string) => void logged.push(message),
  };
  const service = await runService(t, { addressRates: ENDLESS, log });
  await fc.assert(
    fc.asyncProperty(hostile, async (asked) => judge(restRoutes[asked.operation], await send(service, asked))),
    { numRuns: RUNS },
  );
  assert.deepEqual(logged, [], "no request failed inside");
  assert.equal((await call(service, "/healthz")).status, 200);
});

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "fuzz",
});

test("replayed and reordered requests: one submission for one content, one answer for one key", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const step = fc.record({ content: fc.nat(5), key: fc.option(fc.nat(3), { nil: undefined }), many: fc.boolean() });
  const ids = new Map<number, string>();
  const answers = new Map<string, { readonly target: string; readonly body: unknown }>();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      round += 1;
      for (const { content, key, many } of steps) {
        const name = key === undefined ? undefined : `r${round}k${key}`;
        const [path, body] = many
          ? ["/v1/submit-proofs", { items: [commitment(content)] }]
          : ["/v1/submit-proof", commitment(content)];
        const answer = await post(service, path, body, name === undefined ? {} : { "idempotency-key": name });
        const target = `${path} ${content}`;
        const kept = name === undefined ? undefined : answers.get(name);
        if (kept !== undefined && kept.target !== target) {
          assert.equal(answer.body.code, "idempotency-key-reused");
          continue;
        }
        if (kept !== undefined) assert.deepEqual(answer.body, kept.body);
        if (name !== undefined) answers.set(name, { target, body: answer.body });
        const id = many ? (answer.body.items as { id: string }[])[0]?.id : answer.body.id;
        assert.equal(id, ids.get(content) ?? id);
        ids.set(content, String(id));
      }
    }),
    { numRuns: 30 },
  );
  assert.equal(((await call(service, "/v1/proofs?limit=100")).body.items as unknown[]).length, ids.size);
});

test("pipelined requests are answered in turn; bodies that never end keep nobody waiting", async (t) => {
  const service = await runService(t);
  const { hostname, port } = new URL(service.url);
  const head = `host: x\r\nauthorization: Bearer ${TOKEN}\r\n`;
  const slow = Array.from({ length: 50 }, () => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(
      `POST /v1/submit-proof HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 9999\r\n\r\n{"`,
    );
    t.after(() => socket.destroy());
    return socket;
  });
  const pipeline = connect(Number(port), hostname);
  t.after(() => pipeline.destroy());
  const body = JSON.stringify(commitment(1));
  const posted = `POST /v1/submit-proof HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const asked = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0
      ? `${posted}x-request-id: p${n}\r\n\r\n${body}`
      : `GET /v1/proofs/${n} HTTP/1.1\r\n${head}x-request-id: p${n}\r\n\r\n`,
  );
  pipeline.write(`${asked.join("")}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  const answered = await text(pipeline);
  const ids = [...answered.matchAll(/^x-request-id: (p\d+)\r$/gm)].map(([, id]) => id);
  assert.deepEqual(
    ids,
    asked.map((_, n) => `p${n}`),
  );
  assert.equal(answered.match(/HTTP\/1\.1 (?:200|202|404) /g)?.length, 41);
  assert.ok(slow.every((socket) => !socket.destroyed));
});
