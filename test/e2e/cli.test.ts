/** The commands as a user types them: submit, watch, proof, receipt, verify, ots, and what refusals look like. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../tools/stages.ts";
import { runCairn, type SandboxProcess, startSandbox, temporaryHome } from "./cairn-process.ts";

const EXAMPLE = join(ROOT, "examples/groth16.json");

let sandbox: SandboxProcess;
let id: string;
let stopped = false;
const files = temporaryHome();
const receiptFile = join(files, "receipt.json");

before(async () => {
  // The modes of what a sandbox makes must not lean on the user's umask.
  const umask = process.umask(0);
  sandbox = await startSandbox();
  process.umask(umask);
});
after(async () => {
  if (!stopped) await sandbox.stop();
});

const here = () => ["--home", sandbox.home];

test("submit --watch prints the id and every state until final", async () => {
  const done = await runCairn([
    "submit",
    EXAMPLE,
    "--chain-id",
    "my-rollup",
    "--block-number",
    "42",
    "--watch",
    ...here(),
  ]);
  assert.equal(done.code, 0, done.stderr);
  [id = ""] = done.stdout.split("\n");
  assert.match(id, /^0x[0-9a-f]{64}$/);
  for (const state of ["received", "verified", "batched", "settled", "anchored", "final"]) {
    assert.match(done.stdout, new RegExp(`Z {2}${state}\n`));
  }
});

test("doctor finds nothing at fault, and names what is when the token is wrong", async () => {
  const well = await runCairn(["doctor", ...here()]);
  assert.equal(well.code, 0, well.stdout);
  for (const check of ["runtime", "disk", "service", "clock", "readiness", "token", "chain", "bitcoin", "node"]) {
    assert.match(well.stdout, new RegExp(`^ok {3}${check} `, "m"));
  }
  const ill = await runCairn(["doctor", "--token", "wrong", "--json", ...here()]);
  assert.equal(ill.code, 1);
  const faults = JSON.parse(ill.stdout).filter((finding: { verdict: string }) => finding.verdict === "fault");
  assert.deepEqual(
    faults.map((finding: { check: string }) => finding.check),
    ["token"],
  );
  const nowhere = await runCairn(["doctor", "--url", "http://127.0.0.1:1", "--token", "x"]);
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stdout, /FAIL service/);
  assert.equal((await runCairn(["doctor", "--url", "nonsense"])).code, 2);
});

test("receipt and verify: every link is named and proven, exit code 0", async () => {
  assert.equal((await runCairn(["receipt", id, "-o", receiptFile, ...here()])).code, 0);
  const verified = await runCairn(["verify", receiptFile, ...here()]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  for (const link of [
    "leaf",
    "batch-path",
    "settlement-log",
    "commit-signatures",
    "op-return",
    "proof-of-work",
    "best-chain",
  ]) {
    assert.match(verified.stdout, new RegExp(`^ok {3}${link} `, "m"));
  }
  assert.match(verified.stdout, /PROVEN/);
});

test("verify without a trust root says what is missing and exits with 3", async () => {
  const verified = await runCairn(["verify", receiptFile, "--home", join(files, "nobody")]);
  assert.equal(verified.code, 3, verified.stdout + verified.stderr);
  assert.match(verified.stdout, /^missing /m);
});

test("a changed value is refused at its link with exit code 1", async () => {
  const receipt = JSON.parse(readFileSync(receiptFile, "utf8"));
  receipt.statement.chain_id = "other-rollup";
  const changed = join(files, "changed.json");
  writeFileSync(changed, JSON.stringify(receipt));
  const verified = await runCairn(["verify", changed, ...here()]);
  assert.equal(verified.code, 1);
  assert.match(verified.stdout, /^FAIL leaf .*[^\]]$/m);
});

test("what is no receipt exits with 2", async () => {
  const nonsense = join(files, "nonsense.json");
  writeFileSync(nonsense, "[]");
  assert.equal((await runCairn(["verify", nonsense, ...here()])).code, 2);
  assert.equal((await runCairn(["verify", join(files, "absent.json")])).code, 2);
});

test("the stock OpenTimestamps client verifies receipt.ots against the regtest", async (t) => {
  const ots = process.env.CAIRN_OTS;
  if (ots === undefined) return t.skip("the ots client is not installed (python3 with venv and pip)");
  const bytes = join(files, "proof.bin");
  const proof = await runCairn(["proof", id, "--json", ...here()]);
  const response = await fetch(`${sandbox.ready.service_url}/v1/proofs/${id}/bytes`, {
    headers: { authorization: `Bearer ${sandbox.ready.service_token}` },
  });
  const canonical = Buffer.from(await response.arrayBuffer());
  writeFileSync(bytes, canonical);
  assert.equal(`0x${createHash("sha256").update(canonical).digest("hex")}`, JSON.parse(proof.stdout).proof_hash);
  const file = join(files, "proof.regtest.ots");
  assert.equal((await runCairn(["receipt", id, "--ots", "-o", file, ...here()])).code, 0);
  const flags = [
    "--no-cache",
    "--no-default-whitelist",
    "--btc-regtest",
    "--bitcoin-node",
    sandbox.ready.bitcoin_rpc_url,
  ];
  const { stderr } = await promisify(execFile)(ots, [...flags, "verify", "-f", bytes, file]);
  assert.match(stderr, /Success! Bitcoin block \d+ attests existence/);
});

test("a malformed chain id or block number is wrong usage, told by its flag", async () => {
  for (const [flag, value] of [
    ["--chain-id", "no spaces please"],
    ["--block-number", "-1"],
    ["--block-number", "12x"],
  ] as const) {
    const other = flag === "--chain-id" ? [] : ["--chain-id", "my-rollup"];
    const refused = await runCairn(["submit", EXAMPLE, ...other, `${flag}=${value}`, ...here()]);
    assert.equal(refused.code, 2, `${flag} ${value}: ${refused.stderr}`);
    assert.match(refused.stderr, new RegExp(`^cairn: ${flag}: `));
    assert.equal(refused.stdout, "");
  }
});

test("what a sandbox keeps is for its owner only", () => {
  const shared = new Set(["config/app.toml", "config/genesis.json", "block_numbers"]);
  const open: string[] = [];
  const walk = (dir: string): void => {
    for (const entry of readdirSync(join(sandbox.home, dir), { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (shared.has(path)) continue;
      const mode = statSync(join(sandbox.home, path), { throwIfNoEntry: false })?.mode;
      if (mode === undefined) continue;
      if ((mode & 0o777) !== (entry.isDirectory() ? 0o700 : 0o600)) open.push(`${(mode & 0o777).toString(8)} ${path}`);
      // The chain's database lies behind its directory's mode.
      if (entry.isDirectory() && path !== "data/state") walk(path);
    }
  };
  walk("");
  assert.deepEqual(open, []);
});

test("an unknown id, a missing service and a wrong flag are told plainly", async () => {
  const unknown = await runCairn(["proof", `0x${"00".repeat(32)}`, ...here()]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /^cairn: /);
  const nowhere = await runCairn(["proof", id, "--home", join(files, "nobody")]);
  assert.equal(nowhere.code, 2);
  const flag = await runCairn(["proof", id, "--hmoe", "x"]);
  assert.equal(flag.code, 2);
  for (const { stderr } of [unknown, nowhere, flag]) assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/);
});

test("a taken port is told with the flag that moves it", async () => {
  const second = await runCairn(["sandbox", "--ephemeral", "--port-offset", `${sandbox.portOffset}`]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /--(json-rpc\.address|port-offset)/);
});

test("after the sandbox stopped its home still proves the receipt offline", async () => {
  assert.equal(await sandbox.stop(), 0);
  stopped = true;
  const verified = await runCairn(["verify", receiptFile, ...here()]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});

test("a home that lost its genesis is not given a new one", async () => {
  rmSync(join(sandbox.home, "config/genesis.json"));
  const again = await runCairn(["sandbox", "--home", sandbox.home, "--port-offset", `${sandbox.portOffset}`]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /config\/genesis\.json is missing/);
});
