/**
 * Paying for proofs from a wallet: a production service in a process of its own over a real node with the real vault.
 * Bound, deposited, allowed, submitted, settled, charged once, withdrawn; the service is killed at every step.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openOperator } from "./accounts/operator.ts";
import { atEnd, proofCases, serviceOptions, until } from "./testing/fixture.ts";
import type { KillableService } from "./testing/killable-service.ts";
import { bindWallet, CRN, money, payingService, settler, wallet } from "./testing/paying-service.ts";

const PRICE_WEI = 3_500_000_000_000_000n;
const valid = proofCases().filter((item) => item.expected === "valid");
const [invalid] = proofCases().filter((item) => item.expected === "invalid-proof");

/** A production service over the vault, with an account that has a key and an agreement. */
async function production(t: TestContext, batchIntervalMs = 200) {
  let token = "";
  const policy = { ...serviceOptions("").policy, batchIntervalMs };
  const { home, service, chain } = await payingService(t, { policy }, () => token);
  const operator = openOperator(join(home, "service/accounts.db"), { actor: "test", now: Date.now });
  atEnd(t, () => operator.close());
  const order = { account: "acme", newAccount: true, label: "test", expiresAtMs: undefined };
  const scopes = ["proofs:write", "proofs:read", "account:read", "account:write"] as const;
  const issued = operator.issueKey({ ...order, scopes });
  assert.ok(issued.ok);
  token = issued.issued.key;
  const agreement = { perDay: 0, plan: "standard", settlementDays: 30 };
  const chains = [{ chainId: "acme-1", aliases: [], profile: undefined }];
  assert.ok(operator.setTerms({ account: "acme", agreement, limits: undefined, chains }).ok);
  return { service, chain };
}

async function restart(service: KillableService): Promise<void> {
  await service.kill();
  await service.start();
}

const proof = (proofData: string, n: number) => ({ proof_data: proofData, chain_id: "acme-1", block_number: `${n}` });

async function ends(service: KillableService, id: unknown, states: readonly string[]): Promise<void> {
  await until(
    `${id} is ${states}`,
    async () => states.includes(String((await service.get(`/v1/proofs/${id}`)).body.state)),
    60_000,
  );
}

const SETTLED = ["settled", "anchored", "final"];

type Production = Awaited<ReturnType<typeof production>>;

/** What a wallet must have before it pays: bound, a deposit, a permission; each missing one is said. */
async function becomeAble({ service, chain }: Production, proofData: string): Promise<void> {
  const unbound = await service.post("/v1/submit-proof", proof(proofData, 1));
  assert.deepEqual([unbound.status, unbound.body.code], [402, "wallet-required"]);
  await bindWallet(service);
  const poor = await service.post("/v1/submit-proof", proof(proofData, 1));
  assert.deepEqual([poor.status, poor.body.code, poor.body.settler], [402, "insufficient-balance", settler]);

  await chain.write("deposit", [], CRN);
  await restart(service);
  await until("the deposit counts", async () => (await money(service)).balance === CRN.toString());
  const unallowed = await service.post("/v1/submit-proof", proof(proofData, 1));
  assert.equal(unallowed.status, 402, "a deposit alone allows nobody to charge");
  await chain.write("allow", [settler, CRN / 100n, CRN / 10n]);
  await until("the permission counts", async () => (await money(service)).available === (CRN / 100n).toString());
}

/** What was paid stands in the service's books, in the vault and in its logs, to the wei. */
async function checkPaid({ service, chain }: Production, paid: bigint): Promise<void> {
  const books = await money(service);
  assert.deepEqual(
    [books.balance, books.reserved, books.captured, books.overdue],
    [(CRN - paid).toString(), "0", paid.toString(), "0"],
  );
  assert.equal(await chain.read("balanceOf", [wallet.address]), CRN - paid);
  assert.equal(await chain.read("claimable", [settler]), paid);
  const charges = await chain.charges();
  assert.equal(
    charges.reduce((sum, { amount }) => sum + amount, 0n),
    paid,
    "charged exactly once",
  );
}

/** Takes a rest out of the vault; from the request on it pays for nothing. */
async function takeBack({ service, chain }: Production, rest: bigint, proofData: string): Promise<void> {
  await chain.write("requestWithdrawal", [rest]);
  await until("the request counts", async () => (await money(service)).available === "0");
  const asked = await service.post("/v1/submit-proof", proof(proofData, 50));
  assert.deepEqual([asked.status, asked.body.available], [402, "0"], "what is asked back pays for nothing");
  await until("the delay is over", async () =>
    chain.write("withdraw", []).then(
      () => true,
      () => false,
    ),
  );
  await restart(service);
  await until("the withdrawal counts", async () => (await money(service)).balance === "0");
}

test("from an empty wallet to receipts and the rest paid back", { timeout: 240_000 }, async (t) => {
  const bench = await production(t);
  const { service, chain } = bench;
  const [first, second, third] = valid;
  assert.ok(first && second && third && invalid);
  await becomeAble(bench, first.proofData);
  const submitted: unknown[] = [];
  for (const [n, { proofData }] of [first, second, third].entries()) {
    const answer = await service.post("/v1/submit-proof", proof(proofData, n));
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    submitted.push(answer.body.id);
    await restart(service);
  }
  const bad = await service.post("/v1/submit-proof", proof(invalid.proofData, 9));
  await ends(service, bad.body.id, ["rejected"]);
  for (const id of submitted) await ends(service, id, SETTLED);
  await restart(service);

  const paid = PRICE_WEI * 3n;
  await checkPaid(bench, paid);
  const repeat = await service.post("/v1/submit-proof", proof(first.proofData, 0));
  assert.equal(repeat.status, 200, "a repeat is known, not charged");

  const receipt = await service.get(`/v1/proofs/${submitted[0]}/receipt`);
  assert.equal((receipt.body.info as { payment: string }).payment, "vault");
  const { items } = (await service.get("/v1/account/ledger?limit=100")).body as { items: { kind: string }[] };
  assert.deepEqual(items.filter(({ kind }) => kind === "capture").length, 3);

  await takeBack(bench, CRN - paid, first.proofData);
  assert.equal(await chain.balance(), paid);
});

test("a payer that ends its permission before settlement is overdue until it covers", {
  timeout: 240_000,
}, async (t) => {
  const { service, chain } = await production(t, 2_000);
  const [first, second] = valid;
  assert.ok(first && second);
  await bindWallet(service);
  await chain.write("deposit", [], CRN);
  await chain.write("allow", [settler, CRN, CRN]);
  await until("the permission counts", async () => (await money(service)).available === CRN.toString());
  const { body } = await service.post("/v1/submit-proof", proof(first.proofData, 1));
  await service.kill();
  await chain.write("allow", [settler, 0n, 0n]);
  await service.start();
  await ends(service, body.id, SETTLED);
  assert.equal((await money(service)).overdue, PRICE_WEI.toString());
  await restart(service);
  await chain.write("allow", [settler, CRN, CRN]);
  const refused = await service.post("/v1/submit-proof", proof(second.proofData, 2));
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.required],
    [402, "payment-overdue", PRICE_WEI.toString()],
  );
  await chain.write("cover", [settler, PRICE_WEI]);
  await until("the cover counts", async () => (await money(service)).overdue === "0");
  const accepted = await service.post("/v1/submit-proof", proof(second.proofData, 2));
  assert.equal(accepted.status, 202);
  await ends(service, accepted.body.id, SETTLED);
  assert.equal(await chain.read("owed", [wallet.address, settler]), 0n);
  assert.equal(await chain.read("claimable", [settler]), 2n * PRICE_WEI);
});
