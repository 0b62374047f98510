/** Production's gates over sockets: agreement, chains, quota that survives a restart; usage; the reader's members. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createApiKey } from "../accounts/api-key.ts";
import { openOperator } from "../accounts/operator.ts";
import { startService } from "../service.ts";
import { type Answer, atEnd, call, post, runService, temporaryHome } from "../testing/fixture.ts";
import { staging } from "../testing/production-fixture.ts";

const commitment = (n: number, o: object = {}) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${`${n}`.padStart(64, "0")}` }),
  chain_id: "linea",
  ...o,
});
const LINEA = { chainId: "eip155:59144", aliases: ["linea"], profile: undefined };

/** A sandbox whose one account has an agreement, beside the token of the fixture. */
async function bench(t: TestContext, perDay: number, home = temporaryHome(t)) {
  const service = await runService(t, { home });
  const operator = openOperator(join(home, "service", "accounts.db"), { actor: "ann", now: Date.now });
  atEnd(t, () => operator.close());
  const issued = operator.issueKey({
    ...{ account: "acme", newAccount: true, label: "", expiresAtMs: undefined },
    scopes: ["proofs:write", "account:read"],
  });
  assert.ok(issued.ok);
  const agreement = { perDay, plan: "basic", settlementDays: 30 };
  operator.setTerms({ account: "acme", agreement, limits: undefined, chains: [LINEA] });
  const headers = { authorization: `Bearer ${issued.issued.key}` };
  const submit = (body: unknown): Promise<Answer> => post(service, "/v1/submit-proof", body, headers);
  return { service, home, headers, submit };
}

test("the daily quota holds, a repeat costs nothing, a restart gives nothing back", async (t) => {
  const { service, home, submit } = await bench(t, 3);
  const answers = [];
  for (const n of [1, 2, 2]) answers.push(await submit(commitment(n)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 200],
  );
  assert.equal((await submit({ chain_id: "x" })).status, 422, "a refused one costs nothing");
  const last = await submit(commitment(3));
  assert.equal(last.status, 202);
  assert.match(last.headers.get("ratelimit-policy") ?? "", /"daily";q=3;w=86400$/);
  assert.match(last.headers.get("ratelimit") ?? "", /"daily";r=0;t=\d+$/);
  const refused = await submit(commitment(4));
  assert.deepEqual([refused.status, refused.body.code], [429, "quota-exceeded"]);
  assert.ok(Number(refused.headers.get("retry-after")) <= 86_400);
  await service.close();
  const again = await bench(t, 3, home);
  const after = await again.submit(commitment(5));
  assert.deepEqual([after.status, after.body.code], [429, "quota-exceeded"]);
});

test("several at once never store more than the quota; of a batch, what fits", async (t) => {
  const { service, headers, submit } = await bench(t, 10);
  const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => submit(commitment(n))));
  assert.ok(answers.every(({ status }) => status === 202));
  const items = Array.from({ length: 5 }, (_, n) => commitment(100 + n));
  const { status, body } = await post(service, "/v1/submit-proofs", { items }, headers);
  assert.equal(status, 200);
  assert.deepEqual([body.accepted, body.refused], [1, 4]);
  const both = await Promise.all([submit(commitment(200)), submit(commitment(201))]);
  assert.deepEqual(
    both.map((answer) => answer.status),
    [429, 429],
  );
});

test("aliases lead to one submission; usage names the chain and counts", async (t) => {
  const { service, headers, submit } = await bench(t, 0);
  const first = await submit(commitment(1));
  const same = await submit(commitment(1, { chain_id: "EIP155:59144" }));
  assert.deepEqual([first.status, same.status, same.body.id], [202, 200, first.body.id]);
  assert.equal(first.body.chain_id, "linea", "answered as sent");
  assert.equal(first.headers.get("ratelimit-policy"), null, "nothing limits this account");
  await submit({ proof_data: "?", chain_id: "other" });
  const day = new Date().toISOString().slice(0, 10);
  const { body } = await call(service, `/v1/account/usage?to=${day}`, { headers });
  assert.equal(body.account, "acme");
  const days = body.days as { day: string; chain_id: string; submissions: number }[];
  assert.deepEqual(
    days.map(({ chain_id, submissions }) => [chain_id, submissions]),
    [
      ["eip155:59144", 1],
      ["other", 1],
    ],
  );
  assert.equal((body.totals as { submissions: number }).submissions, 2);
  for (const query of [
    "from=yesterday",
    "from=2026-02-30",
    "from=2026-11-21&to=2026-11-20",
    "from=2020-01-01",
    "to=1&to=2",
  ]) {
    const refused = await call(service, `/v1/account/usage?${query}`, { headers });
    assert.deepEqual([refused.status, refused.body.code], [400, "invalid-query"], query);
  }
});

test("the reader's members need its scope, and are named by their pointers", async (t) => {
  const { service, headers, submit } = await bench(t, 0);
  const members = { source: "rpc:x|1|0x|", evidence: { a: 1 } };
  const refused = await submit(commitment(1, members));
  assert.deepEqual([refused.status, refused.body.code, refused.body.scope], [403, "forbidden", "reader:write"]);
  const pointers = (answer: Answer["body"]) => (answer.errors as { pointer: string }[]).map(({ pointer }) => pointer);
  assert.deepEqual(pointers(refused.body), ["/source", "/evidence"]);
  const batch = await post(service, "/v1/submit-proofs", { items: [commitment(2), commitment(3, members)] }, headers);
  const [, item] = batch.body.items as { status: number; problem: Answer["body"] }[];
  assert.deepEqual([item?.status, item && pointers(item.problem)], [403, ["/items/1/source", "/items/1/evidence"]]);
  assert.equal(
    (await post(service, "/v1/submit-proof", commitment(4, members))).status,
    202,
    "the sandbox token has it",
  );
});

test("production: an agreement first, then a registered chain; sandbox keys are told what they are", async (t) => {
  const home = temporaryHome(t);
  const service = await startService(await staging(t, home));
  atEnd(t, () => service.close());
  const operator = openOperator(join(home, "service", "accounts.db"), { actor: "ann", now: Date.now });
  atEnd(t, () => operator.close());
  const order = { account: "acme", newAccount: true, label: "", expiresAtMs: undefined } as const;
  const issued = operator.issueKey({ ...order, scopes: ["proofs:write", "proofs:read"] });
  assert.ok(issued.ok);
  const headers = { authorization: `Bearer ${issued.issued.key}` };
  const submit = (o: object = {}) => post(service, "/v1/submit-proof", commitment(1, o), headers);
  const codeOf = ({ status, body }: Answer) => [status, body.code];
  assert.deepEqual(codeOf(await submit()), [403, "agreement-required"]);
  assert.equal((await call(service, "/v1/proofs", { headers })).status, 200, "reading needs none");
  operator.setTerms({
    ...{ account: "acme", agreement: { perDay: 9, plan: "basic", settlementDays: 30 } },
    ...{ limits: { perMinute: 600, burst: 30 }, chains: [LINEA] },
  });
  const unknown = await submit({ chain_id: "eip155:1" });
  assert.deepEqual(codeOf(unknown), [422, "unknown-chain"]);
  assert.deepEqual((unknown.body.errors as { pointer: string }[])[0]?.pointer, "/chain_id");
  const sent = await submit();
  assert.deepEqual([sent.status, sent.body.chain_id], [202, "linea"]);
  assert.match(sent.headers.get("ratelimit-policy") ?? "", /^"submissions";q=600;w=60, "daily";q=9;w=86400$/);
  const { limits } = (await call(service, "/v1/status", { headers })).body as { limits: Record<string, number> };
  assert.deepEqual([limits.submissions_per_minute, limits.submissions_burst, limits.submissions_per_day], [600, 30, 9]);
  const sandboxKey = await call(service, "/v1/status");
  assert.deepEqual(
    [sandboxKey.status, sandboxKey.body.detail],
    [401, "this is a sandbox key, and this service is production"],
  );
});

test("the key of the reader in the same process is exempt from rates", async (t) => {
  const readerToken = createApiKey("sandbox", (bytes) => new Uint8Array(bytes).fill(7)).text;
  const service = await runService(t, { submissionsPerMinute: 60, submissionsBurst: 2, readerToken });
  const statuses = async (headers: object) => {
    const answers = [];
    for (let n = 0; n < 4; n += 1)
      answers.push((await post(service, "/v1/submit-proof", commitment(n), headers)).status);
    return answers;
  };
  assert.deepEqual(await statuses({ authorization: `Bearer ${readerToken}` }), [202, 202, 202, 202]);
  assert.deepEqual(await statuses({}), [200, 200, 429, 429]);
});
