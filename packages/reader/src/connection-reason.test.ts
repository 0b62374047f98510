import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { connectionReason } from "./connection-reason.ts";
import { createEndpoint } from "./endpoint.ts";

async function reasonAt(url: string): Promise<string> {
  const endpoint = createEndpoint({ url, auth: undefined, timeoutMs: 10_000 });
  return endpoint.rpc("m", [], AbortSignal.timeout(20_000)).then(
    () => assert.fail("answered"),
    (error: Error) => error.message.replace(/^[^ ]+: /, ""),
  );
}

/** A server that says what it is told, at once, and closes. */
async function rude(t: TestContext, text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(text);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("nobody there, a name nobody knows, no TLS, no HTTP: each in its own words", async (t) => {
  assert.equal(
    await reasonAt("http://127.0.0.1:1/secret"),
    "HTTP is not spoken at this port (it is on fetch's list of bad ports)",
  );
  const gone = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => gone.once("listening", resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  assert.equal(await reasonAt(`http://127.0.0.1:${port}/secret`), "connection refused");
  assert.match(
    await reasonAt("http://nowhere.invalid/secret"),
    /^the host's name (is not known|cannot be looked up now)$/,
  );
  assert.equal(await reasonAt(`http://127.0.0.1:${await rude(t, "")}/`), "the connection was closed");
  assert.match(
    await reasonAt(`http://127.0.0.1:${await rude(t, "220 mail.example ESMTP\r\n")}/`),
    /^it does not speak HTTP$/,
  );
  const plain = await rude(t, "HTTP/1.1 400 Bad Request\r\n\r\n");
  assert.match(await reasonAt(`https://127.0.0.1:${plain}/`), /^it does not speak TLS/);
});

test("an error without a code, or with a strange one, says no more than that", () => {
  assert.equal(connectionReason(new Error("http://user:secret@host/")), "connection failed");
  assert.equal(connectionReason({ code: "secret path/" }), "connection failed");
  assert.equal(connectionReason({ code: "EUNHEARD" }), "connection failed (EUNHEARD)");
  const several = { cause: { errors: [{ code: "ECONNREFUSED" }, { code: "ENETUNREACH" }] } };
  assert.equal(connectionReason(several), "connection refused");
  const circle: { cause?: unknown } = {};
  circle.cause = circle;
  assert.equal(connectionReason(circle), "connection failed");
});
