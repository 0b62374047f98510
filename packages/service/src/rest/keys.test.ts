/** Keys over sockets: an operator's connection to the same file while the service runs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Scope } from "@cairn/api";
import { createApiKey } from "../accounts/api-key.ts";
import { type Operator, openOperator } from "../accounts/operator.ts";
import type { RunningService } from "../index.ts";
import { type Answer, atEnd, call, post, runService, temporaryHome, testLog } from "../testing/fixture.ts";

interface Bench {
  readonly service: RunningService;
  readonly operator: Operator;
  issue(...scopes: Scope[]): { readonly id: string; readonly key: string };
}

async function bench(t: TestContext, o: Parameters<typeof runService>[1] = {}): Promise<Bench> {
  const home = temporaryHome(t);
  const service = await runService(t, { ...o, home });
  const operator = openOperator(join(home, "service", "accounts.db"), { actor: "ann", now: Date.now });
  atEnd(t, () => operator.close());
  return {
    service,
    operator,
    issue: (...scopes) => {
      const outcome = operator.issueKey({
        account: "acme",
        newAccount: true,
        scopes,
        label: "",
        expiresAtMs: undefined,
      });
      assert.ok(outcome.ok);
      return outcome.issued;
    },
  };
}

const as = (key: string) => ({ authorization: `Bearer ${key}` });
const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${`${n}`.padStart(64, "0")}` }),
  chain_id: "test",
});

test("a key does what its scopes say and nothing else", async (t) => {
  const { service, issue } = await bench(t);
  const reads = issue("proofs:read").key;
  const refused = await post(service, "/v1/submit-proof", commitment(1), as(reads));
  assert.deepEqual([refused.status, refused.body.code, refused.body.scope], [403, "forbidden", "proofs:write"]);
  assert.match(refused.headers.get("www-authenticate") ?? "", /error="insufficient_scope", scope="proofs:write"/);
  const writes = issue("proofs:write").key;
  const sent = await post(service, "/v1/submit-proof", commitment(1), as(writes));
  assert.equal(sent.status, 202);
  const path = `/v1/proofs/${sent.body.id}`;
  assert.equal((await call(service, path, { headers: as(writes) })).status, 403);
  assert.equal((await call(service, path, { headers: as(reads) })).status, 200);
  assert.equal((await call(service, "/status", { headers: as(writes) })).status, 200, "status asks for no scope");
  assert.equal((await call(service, path)).status, 404, "another account's submission is not there");
});

test("a revoked key is refused from the next request on, and its long polls end", async (t) => {
  const { service, operator, issue } = await bench(t);
  const { id, key } = issue("proofs:read", "proofs:write");
  const [doomed, other] = [as(key), as(issue("proofs:read").key)];
  const { body: sent } = await post(service, "/v1/submit-proof", { ...commitment(2), proof_data: "?" }, doomed);
  await call(service, `/v1/proofs/${sent.id}`, { headers: { ...doomed, prefer: "wait=20" } });
  const waitFor = async (headers: Record<string, string>): Promise<Answer> => {
    const now = await call(service, `/v1/proofs/${sent.id}`, { headers });
    const etag = now.headers.get("etag") ?? "";
    return call(service, `/v1/proofs/${sent.id}`, { headers: { ...headers, "if-none-match": etag, prefer: "wait=3" } });
  };
  const [ends, lasts] = [waitFor(doomed), waitFor(other)];
  await Promise.race([ends, call(service, "/status", { headers: doomed })]);
  const started = performance.now();
  operator.revokeKey(id);
  const next = await call(service, "/status", { headers: doomed });
  assert.deepEqual([next.status, next.body.detail], [401, "the token is revoked"]);
  const ended = await ends;
  assert.deepEqual([ended.status, ended.body.detail], [401, "the token is revoked"]);
  assert.ok(performance.now() - started < 2_000);
  assert.equal((await lasts).status, 304, "another key's poll goes on");
});

test("a rotated key's poll ends with the overlap", async (t) => {
  const { service, operator, issue } = await bench(t);
  const { id, key } = issue("proofs:read", "proofs:write");
  const { body: sent } = await post(service, "/v1/submit-proof", { ...commitment(3), proof_data: "?" }, as(key));
  const settled = await call(service, `/v1/proofs/${sent.id}`, { headers: { ...as(key), prefer: "wait=20" } });
  const etag = settled.headers.get("etag") ?? "";
  const rotated = operator.rotateKey({ id, overlapMs: 600, expiresAtMs: undefined });
  assert.ok(rotated.ok);
  const headers = { ...as(key), "if-none-match": etag, prefer: "wait=20" };
  const ended = await call(service, `/v1/proofs/${sent.id}`, { headers });
  assert.deepEqual([ended.status, ended.body.detail], [401, "the token has expired"]);
  assert.equal((await call(service, "/status", { headers: as(rotated.issued.key) })).status, 200);
});

test("keys of the other environment, guessed and hostile ones are refused, and no log line has a key", async (t) => {
  const lines: string[] = [];
  const note = (fields: object, message: string): void => void lines.push(JSON.stringify([fields, message]));
  const log = { ...testLog, info: note, warn: note, error: note, debug: note };
  const { service, issue } = await bench(t, { log });
  const known = issue("proofs:read");
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const live = createApiKey("production", random).text;
  const answer = await call(service, "/status", { headers: as(live) });
  assert.deepEqual(
    [answer.status, answer.body.detail],
    [401, "this is a production key, and this service is a sandbox"],
  );
  const sameId = (bytes: number) => (bytes === 6 ? Buffer.from(known.id, "hex") : random(bytes));
  const guesses = Array.from({ length: 50 }, (_, n) => createApiKey("sandbox", n % 2 === 0 ? sameId : random).text);
  for (const guess of [...guesses, "x".repeat(8_000), "%00", "null", '"', "cairn_sbx_", known.key.toUpperCase()]) {
    const { status, body } = await call(service, "/status", { headers: as(guess) });
    assert.deepEqual([status, body.detail], [401, "the token is not known"]);
    if (guess.length > 20) assert.equal(JSON.stringify(body).includes(guess), false);
  }
  const inUrl = await call(service, `/status?token=${known.key}&access_token=${known.key}`, {
    headers: { authorization: "" },
  });
  assert.equal(inUrl.status, 401, "a key in the URL is none");
  assert.equal((await call(service, "/status", { headers: as(known.key) })).status, 200);
  assert.equal(lines.join("\n").includes("cairn_"), false);
});

test("a suspended account is told so", async (t) => {
  const { service, operator, issue } = await bench(t);
  issue("proofs:read");
  operator.revokeAccount("acme");
  const { status, body } = await call(service, "/status", { headers: as(issue("proofs:read").key) });
  assert.deepEqual([status, body.code], [403, "account-suspended"]);
});
