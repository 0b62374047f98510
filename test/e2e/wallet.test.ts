/** `cairn wallet` as an integrator uses it: make, fund, deposit, allow, ask back; the chain is asked by viem. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Abi, createPublicClient, createWalletClient, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { InclusionVault } from "../../packages/contracts/src/index.ts";
import { type Finished, runCairn, type SandboxProcess, startSandbox, temporaryHome } from "./cairn-process.ts";

let sandbox: SandboxProcess;
const dir = temporaryHome();
const password = join(dir, "password");
before(async () => {
  writeFileSync(password, "correct horse\n");
  sandbox = await startSandbox();
});
after(() => sandbox.stop());

const flags = () => ["--wallet-dir", join(dir, "wallet"), "--password-file", password, "--json"];
const wallet = async (...args: readonly string[]): Promise<Finished> =>
  runCairn(["wallet", ...args, ...flags(), "--home", sandbox.home]);

async function well(...args: readonly string[]): Promise<Record<string, never>> {
  const done = await wallet(...args);
  assert.equal(done.code, 0, done.stderr);
  return JSON.parse(done.stdout);
}

test("a wallet is made, funded, pays in, allows, asks back", async () => {
  const made = await runCairn(["wallet", "create", "--light-kdf", ...flags()]);
  assert.equal(made.code, 0, made.stderr);
  const { address } = JSON.parse(made.stdout);
  const transport = http(sandbox.ready.json_rpc_url);
  const client = createPublicClient({ transport, pollingInterval: 100 });
  const account = privateKeyToAccount(sandbox.ready.funded_private_key);
  const hash = await createWalletClient({ account, transport }).sendTransaction({
    ...{ to: address, value: parseEther("20"), chain: null },
  });
  await client.waitForTransactionReceipt({ hash });

  assert.deepEqual(await well("bind"), { bound: address });
  await well("deposit", "12.5");
  await well("allow", "--max-per-proof", "0.01", "--max-per-day", "5");
  await well("withdraw", "2.5");
  const shown: Record<string, unknown> = await well("show");
  assert.equal(shown.address, address);
  assert.equal(shown.deposited_wei, parseEther("12.5").toString());
  assert.equal((shown.withdrawal as { amount_wei: string }).amount_wei, parseEther("2.5").toString());
  const { settler, ...caps } = shown.allowance as Record<string, string>;
  assert.deepEqual(caps, {
    max_per_proof_wei: parseEther("0.01").toString(),
    max_per_day_wei: parseEther("5").toString(),
  });
  const vault = { address: InclusionVault.address as `0x${string}`, abi: InclusionVault.abi as Abi };
  const read = (functionName: string, args: readonly unknown[]) =>
    client.readContract({ ...vault, functionName, args });
  assert.equal(await read("balanceOf", [address]), parseEther("12.5"));
  assert.deepEqual(((await read("allowanceOf", [address, settler])) as bigint[]).slice(0, 2), [
    parseEther("0.01"),
    parseEther("5"),
  ]);
  const early = await wallet("withdraw");
  assert.equal(early.code, 1, early.stdout);
  assert.match(early.stderr, /the vault refuses: what was asked back can be taken from 20\d\d-/);
});

test("wrong usage is told plainly", async () => {
  const wrong = await wallet("deposit", "much");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /amount in CRN/);
  const none = await runCairn(["wallet", "show", "--wallet-dir", join(dir, "nothing"), "--home", sandbox.home]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /cairn wallet create/);
  writeFileSync(password, "wrong\n");
  const locked = await wallet("deposit", "1");
  writeFileSync(password, "correct horse\n");
  assert.equal(locked.code, 1);
  assert.match(locked.stderr, /could not decrypt|password/);
});
