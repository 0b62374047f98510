/** Asking for access, approval, claim: over sockets, with an operator's connection beside the running service. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { openOperator } from "../accounts/operator.ts";
import type { RunningService } from "../index.ts";
import { type Answer, atEnd, call, post, runService, temporaryHome } from "../testing/fixture.ts";

const BODY = { organisation: "Acme", contact: "ops@acme.example", chain_ids: ["eip155:59144"], expected_per_day: 100 };
const PATH = "/v1/access-requests";
const OFTEN = { accessRequests: { perWindow: 0, burst: 0 } };
const anonymous = { authorization: "" };

async function bench(t: TestContext, o: Parameters<typeof runService>[1] = {}) {
  const home = temporaryHome(t);
  const service = await runService(t, { addressRates: OFTEN, ...o, home });
  const operator = openOperator(join(home, "service", "accounts.db"), { actor: "ann", now: Date.now });
  atEnd(t, () => operator.close());
  return { service, operator };
}

const ask = (service: RunningService, body: unknown = BODY): Promise<Answer> => post(service, PATH, body, anonymous);
const look = (service: RunningService, path: unknown, secret: unknown): Promise<Answer> =>
  call(service, String(path), { headers: { authorization: `Bearer ${secret}` } });

test("from the request to a key that works, shown once", async (t) => {
  const { service, operator } = await bench(t);
  const asked = await ask(service);
  assert.equal(asked.status, 201);
  assert.equal(asked.headers.get("cache-control"), "no-store");
  const { id, claim_secret: secret, status_url: url } = asked.body;
  assert.equal(asked.headers.get("location"), url);
  assert.equal((await look(service, url, secret)).body.state, "pending");
  const approved = operator.approve({
    ...{ id: String(id), account: "acme", existingAccount: false, scopes: ["proofs:write", "proofs:read"] },
    ...{ keyLifetimeMs: 86_400_000, agreement: undefined, limits: { perMinute: 600, burst: 7 }, chains: [] },
  });
  assert.equal(approved.ok, true);
  const head = { method: "HEAD", headers: { authorization: `Bearer ${secret}` } };
  assert.equal((await fetch(`${service.url}${url}`, head)).status, 200, "a HEAD takes no key");
  const answers = await Promise.all(Array.from({ length: 5 }, () => look(service, url, secret)));
  const withKey = answers.filter(({ body }) => body.key !== undefined);
  assert.equal(withKey.length, 1);
  const [claimed] = withKey;
  assert.equal(claimed?.headers.get("cache-control"), "no-store");
  assert.deepEqual([claimed?.body.account, claimed?.body.state], ["acme", "claimed"]);
  assert.deepEqual(claimed?.body.scopes, ["proofs:write", "proofs:read"]);
  const headers = { authorization: `Bearer ${claimed?.body.key}` };
  assert.equal((await call(service, "/status", { headers })).status, 200);
  const sent = await post(service, "/v1/submit-proof", { proof_data: "?", chain_id: "x" }, headers);
  assert.equal(sent.status, 202);
  assert.equal(sent.headers.get("ratelimit-policy"), '"submissions";q=600;w=60');
  const after = await look(service, url, secret);
  assert.deepEqual([after.body.key, after.body.key_id], [undefined, claimed?.body.key_id]);
});

test("nobody sees a request without its secret", async (t) => {
  const { service } = await bench(t);
  const [{ body: mine }, { body: theirs }] = [await ask(service), await ask(service)];
  const bare = await call(service, String(mine.status_url), { headers: anonymous });
  assert.deepEqual([bare.status, bare.body.code], [401, "unauthorized"]);
  assert.match(bare.headers.get("www-authenticate") ?? "", /^Bearer /);
  for (const [path, secret] of [
    [mine.status_url, theirs.claim_secret],
    [mine.status_url, "x"],
    [`${PATH}/req_000000000000000000`, mine.claim_secret],
    [`${PATH}/..%2f`, mine.claim_secret],
    [`${PATH}/${"a".repeat(200)}`, mine.claim_secret],
  ]) {
    const answer = await look(service, path, secret);
    assert.deepEqual([answer.status, answer.body.code], [404, "not-found"], String(path));
  }
  const asKey = await look(service, "/status", mine.claim_secret);
  assert.equal(asKey.status, 401, "a claim secret is no key");
});

test("faults of a request are named by their pointers; nothing is noted", async (t) => {
  const { service, operator } = await bench(t);
  const cases: readonly [unknown, string][] = [
    [{ ...BODY, organisation: "" }, "/organisation"],
    [{ ...BODY, organisation: "a\u001b[2J" }, "/organisation"],
    [{ ...BODY, contact: "x".repeat(255) }, "/contact"],
    [{ ...BODY, contact: "a\u202eb" }, "/contact"],
    [{ ...BODY, chain_ids: [] }, "/chain_ids"],
    [{ ...BODY, chain_ids: ["ok", "not ok"] }, "/chain_ids/1"],
    [{ ...BODY, chain_ids: Array(17).fill("a") }, "/chain_ids"],
    [{ ...BODY, expected_per_day: 1.5 }, "/expected_per_day"],
    [{ ...BODY, message: "m".repeat(2_049) }, "/message"],
  ];
  for (const [body, pointer] of cases) {
    const { status, body: problem } = await ask(service, body);
    assert.equal(status, 422, pointer);
    assert.deepEqual(
      (problem.errors as { pointer: string }[]).map((error) => error.pointer),
      [pointer],
    );
  }
  assert.equal((await ask(service, { ...BODY, message: "m".repeat(20_000) })).status, 413);
  const anyBody = fc.oneof(fc.json(), fc.record({ organisation: fc.string(), contact: fc.jsonValue() }));
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      assert.ok([400, 422].includes((await ask(service, body)).status));
    }),
    { numRuns: 60 },
  );
  assert.deepEqual(operator.requests(true), []);
});

test("an address asks five times an hour; failed attempts are bounded, right keys pass all the same", async (t) => {
  const { service } = await bench(t, {
    addressRates: { attempts: { perWindow: 60, burst: 10 }, accessRequests: { perWindow: 5, burst: 5 } },
  });
  const asked = await Promise.all(Array.from({ length: 8 }, () => ask(service)));
  assert.deepEqual(asked.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 429, 429, 429]);
  const refused = asked.find(({ status }) => status === 429);
  assert.equal(refused?.headers.get("ratelimit-policy"), '"access-requests";q=5;w=3600');
  assert.ok(Number(refused?.headers.get("retry-after")) > 500);
  const guess = () => call(service, "/status", { headers: { authorization: "Bearer wrong" } });
  const guesses = await Promise.all(Array.from({ length: 14 }, guess));
  const limited = guesses.filter(({ status }) => status === 429);
  assert.ok(limited.length >= 2 && limited.length <= 4, String(limited.length));
  assert.match(limited[0]?.headers.get("retry-after") ?? "", /^[1-9]/);
  assert.equal((await call(service, "/status")).status, 200);
  for (let n = 0; n < 300; n += 1)
    assert.equal((await call(service, "/v1/batches", { headers: anonymous })).status, 200);
});

test("public reads of an address are bounded where the service says so; probes are not", async (t) => {
  const { service } = await bench(t, { addressRates: { publicReads: { perWindow: 60, burst: 3 } } });
  const reads = await Promise.all(
    Array.from({ length: 6 }, () => call(service, "/v1/batches", { headers: anonymous })),
  );
  assert.equal(reads.filter(({ status }) => status === 429).length, 3);
  assert.equal((await call(service, "/healthz", { headers: anonymous })).status, 200);
});
