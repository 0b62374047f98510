/** Payment through the REST door: mock money with its faucet and faults, quotes, wallets, refusals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { privateKeyToAccount } from "viem/accounts";
import { FAUCET_WEI, FIRST_MONEY_WEI } from "../payment/mock-money.ts";
import type { RunningService } from "../service.ts";
import { call, post, proofCases, runService, until } from "../testing/fixture.ts";

const [valid] = proofCases().filter((item) => item.expected === "valid");
const [invalid] = proofCases().filter((item) => item.expected === "invalid-proof");
const COMMITMENT = JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${"ab".repeat(32)}` });
const BN254_WEI = 3_500_000_000_000_000n;
const COMMITMENT_WEI = 1_500_000_000_000_000n;
/** Of a proof whose system is not known before it is verified. */
const UNKNOWN_WEI = 5_500_000_000_000_000n;

interface Money {
  readonly mode: string;
  readonly balance: string;
  readonly reserved: string;
  readonly overdue: string;
  readonly available: string;
}

async function money(service: RunningService): Promise<Money> {
  const { status, body } = await call(service, "/v1/account");
  assert.equal(status, 200);
  return body.payment as Money;
}

function submit(service: RunningService, proofData: string, more: object = {}) {
  return post(service, "/v1/submit-proof", { proof_data: proofData, chain_id: "test", ...more });
}

const settledInVerdict = (service: RunningService, id: unknown, state: string) =>
  until(`${id} is ${state}`, async () => (await call(service, `/v1/proofs/${id}`)).body.state === state);

test("a newcomer submits without any step of payment; the price is reserved and given back", async (t) => {
  const service = await runService(t);
  assert.ok(valid && invalid);
  const { body } = await submit(service, valid.proofData);
  const after = await money(service);
  assert.equal(after.mode, "mock");
  assert.equal(after.balance, FIRST_MONEY_WEI.toString());
  assert.equal(after.reserved, BN254_WEI.toString());
  assert.equal(after.available, (FIRST_MONEY_WEI - BN254_WEI).toString());
  await settledInVerdict(service, body.id, "batched");
  const bad = await submit(service, invalid.proofData);
  await settledInVerdict(service, bad.body.id, "rejected");
  assert.equal((await money(service)).reserved, BN254_WEI.toString());
});

test("what is not recognised is reserved at the highest price, and corrected by the verdict", async (t) => {
  const service = await runService(t);
  const { body } = await submit(service, `  ${"x".repeat(10)}`);
  assert.equal(body.state, "received");
  const entries = await until("the release is written", async () => {
    const items = (await call(service, "/v1/account/ledger")).body.items as readonly Record<string, unknown>[];
    return items.length === 3 && items;
  });
  const shown = entries.map(({ kind, from, to, amount }) => [kind, from, to, amount]);
  assert.deepEqual(shown, [
    ["release", "reserved", "deposits", UNKNOWN_WEI.toString()],
    ["reserve", "deposits", "reserved", UNKNOWN_WEI.toString()],
    ["deposit", "vault", "deposits", FIRST_MONEY_WEI.toString()],
  ]);
  assert.equal(entries[0]?.submission, body.id);
});

test("ledger pages lead back to the first entry", async (t) => {
  const service = await runService(t);
  for (let n = 1; n <= 3; n += 1) await post(service, "/v1/sandbox/faucet", { amount: String(n) });
  const amounts: unknown[] = [];
  let cursor = "";
  do {
    const { body } = await call(service, `/v1/account/ledger?limit=2${cursor}`);
    amounts.push(...(body.items as { amount: string }[]).map((item) => item.amount));
    cursor = body.next_cursor === undefined ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  assert.deepEqual(amounts, ["3", "2", "1", FIRST_MONEY_WEI.toString()]);
  assert.equal((await call(service, "/v1/account/ledger?cursor=x")).status, 400);
});

test("a quote fixes the price for its system, account and time", async (t) => {
  const service = await runService(t);
  const quote = await call(service, "/v1/quote?system=commitment");
  assert.equal(quote.status, 200);
  assert.equal(quote.body.price, COMMITMENT_WEI.toString());
  const parts = quote.body.parts as Record<string, string>;
  const sum = Object.values(parts).reduce((total, part) => total + BigInt(part), 0n);
  assert.equal(sum, COMMITMENT_WEI);
  const id = String(quote.body.id);
  assert.equal((await submit(service, COMMITMENT, { quote: id })).status, 202);
  assert.ok(valid);
  const other = await submit(service, valid.proofData, { quote: id });
  assert.deepEqual([other.status, errorOf(other.body)], [422, "other-system /quote"]);
  for (const forged of [`${id}x`, "q1.x.y", "nonsense", id.replace(/^q1/, "q2")]) {
    const answer = await submit(service, valid.proofData, { quote: forged });
    assert.deepEqual([answer.status, errorOf(answer.body)], [422, "unknown-quote /quote"], forged);
  }
  const bare = await submit(service, `${COMMITMENT.slice(0, -1)},"padding":"${"x".repeat(70_000)}"}`, { quote: id });
  assert.equal(bare.status, 202);
});

test("a quote for a cheaper system than the proof's is found out by the verdict", async (t) => {
  const service = await runService(t);
  assert.ok(valid);
  const { body } = await call(service, "/v1/quote?system=commitment");
  const hidden = `${valid.proofData.slice(0, -1)},"padding":"${"x".repeat(70_000)}"}`;
  const submitted = await submit(service, hidden, { quote: body.id });
  assert.equal(submitted.status, 202);
  const ended = await until("it is judged", async () => {
    const now = (await call(service, `/v1/proofs/${submitted.body.id}`)).body;
    return now.state === "rejected" && now;
  });
  assert.equal((ended.error as { code: string }).code, "quote-mismatch");
  assert.equal((await money(service)).reserved, "0");
});

function errorOf(body: Readonly<Record<string, unknown>>): string {
  const [first] = body.errors as readonly { readonly code: string; readonly pointer: string }[];
  return `${first?.code} ${first?.pointer}`;
}

test("faucet and faults of the sandbox", async (t) => {
  const service = await runService(t);
  const poured = await post(service, "/v1/sandbox/faucet", {});
  const balance = FIRST_MONEY_WEI + FAUCET_WEI;
  assert.equal((poured.body.payment as Money).balance, balance.toString());
  assert.equal((await post(service, "/v1/sandbox/faucet", { amount: "0" })).status, 422);
  const faults = await post(service, "/v1/sandbox/faults", { refuse_payment: true, deposit_delay_ms: 300 });
  assert.deepEqual(faults.body, { charges_short: 0, deposit_delay_ms: 300, refuse_payment: true });
  const refused = await submit(service, COMMITMENT);
  assert.equal(refused.status, 402);
  assert.deepEqual(
    [refused.body.code, refused.body.required, refused.body.available],
    ["insufficient-balance", COMMITMENT_WEI.toString(), "0"],
  );
  const many = await post(service, "/v1/submit-proofs", { items: [{ proof_data: COMMITMENT, chain_id: "test" }] });
  assert.equal((many.body.items as { status: number }[])[0]?.status, 402);
  await post(service, "/v1/sandbox/faults", { refuse_payment: false });
  assert.equal((await submit(service, COMMITMENT)).status, 202);
  const later = await post(service, "/v1/sandbox/faucet", { amount: "5" });
  assert.equal((later.body.payment as Money).balance, balance.toString(), "the deposit is delayed");
  await until("the deposit counts", async () => (await money(service)).balance === (balance + 5n).toString());
  assert.equal((await post(service, "/v1/sandbox/faults", { charges_short: -1 })).status, 422);
});

const wallet = privateKeyToAccount(`0x${"17".repeat(32)}`);

interface Challenge {
  readonly nonce: string;
  readonly expires_at: string;
  readonly typed_data: Parameters<typeof wallet.signTypedData>[0];
}

async function challengeOf(service: RunningService, address: string): Promise<Challenge> {
  const { status, body } = await post(service, "/v1/account/wallet", { address });
  assert.equal(status, 200);
  return body.challenge as Challenge;
}

test("a wallet is bound by its signature over the challenge, once", async (t) => {
  const service = await runService(t);
  const challenge = await challengeOf(service, wallet.address);
  const signature = await wallet.signTypedData(challenge.typed_data);
  const answer = { address: wallet.address, nonce: challenge.nonce, signature };
  const stranger = privateKeyToAccount(`0x${"18".repeat(32)}`);
  const other = await post(service, "/v1/account/wallet", { ...answer, address: stranger.address });
  assert.deepEqual([other.status, other.body.code], [409, "wallet-conflict"]);
  const bound = await post(service, "/v1/account/wallet", answer);
  assert.deepEqual(bound.body, { wallet: wallet.address.toLowerCase() });
  assert.equal((await call(service, "/v1/account")).body.wallet, wallet.address.toLowerCase());
  assert.equal((await post(service, "/v1/account/wallet", answer)).status, 409, "a challenge is good once");
  const next = await challengeOf(service, wallet.address);
  const wrong = await stranger.signTypedData(next.typed_data);
  const refused = await post(service, "/v1/account/wallet", { ...answer, nonce: next.nonce, signature: wrong });
  assert.equal(refused.status, 409);
  assert.equal((await post(service, "/v1/account/wallet", { address: wallet.address, signature })).status, 422);
  assert.equal((await post(service, "/v1/account/wallet", { address: "0x12" })).status, 422);
});

test("over a vault nothing is taken without a wallet, nor without money in it", async (t) => {
  const service = await runService(t, { payment: "vault" });
  const before = await submit(service, COMMITMENT);
  assert.deepEqual([before.status, before.body.code], [402, "wallet-required"]);
  assert.equal(before.body.vault, "0x000000000000000000000000000000000000c002");
  assert.match(String(before.body.settler), /^0x[0-9a-f]{40}$/);
  assert.deepEqual((await call(service, "/v1/account/ledger")).body, { items: [] });
  const challenge = await challengeOf(service, wallet.address);
  const signature = await wallet.signTypedData(challenge.typed_data);
  await post(service, "/v1/account/wallet", { address: wallet.address, nonce: challenge.nonce, signature });
  const poor = await submit(service, COMMITMENT);
  assert.deepEqual([poor.status, poor.body.code], [402, "insufficient-balance"]);
  assert.deepEqual([poor.body.required, poor.body.available], [COMMITMENT_WEI.toString(), "0"]);
  assert.equal((await post(service, "/v1/sandbox/faucet", {})).status, 404, "no mock money");
  const { payment } = (await call(service, "/v1/account")).body as { payment: Record<string, unknown> };
  assert.deepEqual(payment.limits, { per_proof: "0", per_day: "0", spent_today: "0" });
});
