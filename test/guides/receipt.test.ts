/** The guides for integrators, word for word against a sandbox. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Abi, createPublicClient, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Receipt } from "../../packages/proofs/src/index.ts";
import { type SandboxProcess, startSandbox } from "../e2e/cairn-process.ts";
import { compile } from "../solidity.ts";
import { blocksOf, readersDirectory, readGuide, runGuide } from "./guide.ts";

let sandbox: SandboxProcess;
before(async () => {
  sandbox = await startSandbox();
});
after(() => sandbox.stop());

test("five minutes to a receipt", (t) => {
  const dir = readersDirectory(t);
  const guide = readGuide("five-minutes-to-a-receipt.md");
  const printed = runGuide({ guide, dir, env: { CAIRN_HOME: sandbox.home } });
  assert.match(printed, /^ok {3}token /m);
  for (const state of ["received", "verified", "batched", "settled", "anchored", "final", "rejected"]) {
    assert.match(printed, new RegExp(`Z {2}${state}$`, "m"));
  }
  assert.match(printed, /PROVEN: every link holds/);
  assert.match(printed, /CONSISTENT, but not proven/);
  assert.match(printed, /FALSE: the link leaf does not hold/);
  assert.equal(readFileSync(join(dir, "proof.bin")).length, 256);
});

test("verifying in a contract", async (t) => {
  const dir = readersDirectory(t);
  const guide = readGuide("verifying-in-a-contract.md");
  const read = `const v=JSON.parse(fs.readFileSync("inclusion.json"))[process.argv[1]];console.log(Array.isArray(v)?v.join(","):v)`;
  const prelude = `value() { '${process.execPath}' -e '${read}' "$1"; }; PATH="$PATH:${join(process.cwd(), "node_modules/.bin")}"`;
  const env = { CAIRN_HOME: sandbox.home, RPC: sandbox.ready.json_rpc_url };
  assert.match(runGuide({ guide, dir, env, prelude }), /^true$/m);
  const inclusion = JSON.parse(readFileSync(join(dir, "inclusion.json"), "utf8"));
  const receipt = JSON.parse(readFileSync(join(dir, "receipt.json"), "utf8"));
  await contractAsks(blocksOf(guide, "solidity").join(), inclusion, receipt);
});

interface Inclusion {
  readonly commitment: string;
  readonly header: string;
  readonly index: number;
  readonly path: readonly string[];
}

/** Deploys the guide's contract, which takes the settled proof; one for another circuit refuses it. */
async function contractAsks(source: string, inclusion: Inclusion, receipt: Receipt): Promise<void> {
  const { abi, bytecode } = compile(source);
  const { record } = receipt.leaf;
  const at = record.indexOf(receipt.statement.vk_hash.slice(2)) + 64;
  const start = record.slice(0, at) as `0x${string}`;
  const transport = http(sandbox.ready.json_rpc_url);
  const account = privateKeyToAccount(sandbox.ready.funded_private_key);
  const wallet = createWalletClient({ account, transport });
  const client = createPublicClient({ transport, pollingInterval: 100 });
  const deploy = async (recordStart: `0x${string}`) => {
    const hash = await wallet.deployContract({ abi: abi as Abi, bytecode, args: [recordStart], chain: null });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    assert.ok(contractAddress);
    return contractAddress;
  };
  const args = [
    receipt.leaf.proof_hash,
    record,
    inclusion.commitment,
    inclusion.header,
    inclusion.index,
    inclusion.path,
  ];
  const gate = await deploy(start);
  const hash = await wallet.writeContract({
    address: gate,
    abi: abi as Abi,
    functionName: "submit",
    args,
    chain: null,
  });
  assert.equal((await client.waitForTransactionReceipt({ hash })).status, "success");
  const proven = {
    address: gate,
    abi: abi as Abi,
    functionName: "proven",
    args: [receipt.statement.public_inputs_hash],
  };
  assert.equal(await client.readContract(proven), true);
  const other = await deploy(`0x${start.slice(2, -2)}00`);
  await assert.rejects(
    client.simulateContract({ address: other, abi: abi as Abi, functionName: "submit", args, account }),
    /another circuit/,
  );
}
