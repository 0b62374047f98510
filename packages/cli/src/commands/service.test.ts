import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { decryptKeystoreJson } from "ethers";
import { createLog } from "../log.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const PASSPHRASE = "a passphrase of some length";
const NODES = ["--bitcoin", "signet", "--bitcoin-rpc", "http://me:pw@127.0.0.1:1"];
let home: string;

before(async () => {
  home = await mkdtemp(join(tmpdir(), "cairn-service-"));
});
after(() => rm(home, { recursive: true, force: true }));

function cairn(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", MAIN, "service", ...args];
  return new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const o = { env: { ...process.env, ...env } };
    const child = execFile(process.execPath, [...flags, "--home", home], o, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr });
    });
    child.stdin?.end();
  });
}

test("from nothing to a checked configuration: what is missing or wrong is said by name", async () => {
  const unmade = await cairn(["check"]);
  assert.equal(unmade.code, 1);
  assert.match(unmade.stderr, /service\.toml: is missing.*cairn service init/);
  assert.equal((await cairn(["init", ...NODES])).code, 0);
  const file = join(home, "config/service.toml");
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.match(await readFile(file, "utf8"), /network = "signet"\n/);
  assert.equal((await cairn(["init"])).code, 1, "a file that is there stays as it is");
  const keyless = await cairn(["check"]);
  assert.equal(keyless.code, 1);
  for (const name of ["settler", "anchor"]) {
    assert.match(
      keyless.stdout,
      new RegExp(`^refused  missing-key-file: ${name}\\.key-file .*${name}\\.json is missing.*keys new$`, "m"),
    );
  }
  assert.match((await cairn(["keys", "new"])).stderr, /CAIRN_PASSPHRASE/);
  assert.match((await cairn(["keys", "new"], { CAIRN_PASSPHRASE: "short" })).stderr, /12 characters/);
});

test("keys are made encrypted, opened by variable or file, and told by their addresses", async () => {
  const made = await cairn(["keys", "new", "--json"], { CAIRN_PASSPHRASE: PASSPHRASE });
  assert.equal(made.code, 0, made.stderr);
  const { settler, anchor } = JSON.parse(made.stdout);
  assert.match(anchor, /^tb1q/);
  const file = join(home, "service/keys/settler.json");
  assert.equal((await decryptKeystoreJson(await readFile(file, "utf8"), PASSPHRASE)).address, settler);
  await writeFile(join(home, "passphrase"), `${PASSPHRASE}\n`, { mode: 0o600 });
  const shown = await cairn(["keys", "show", "--json", "--keys.passphrase-file", "passphrase"]);
  assert.deepEqual(JSON.parse(shown.stdout), { settler, anchor });
  assert.match((await cairn(["keys", "show"], { CAIRN_PASSPHRASE: "wrong" })).stderr, /does not open/);
  await chmod(file, 0o644);
  assert.match((await cairn(["keys", "show"], { CAIRN_PASSPHRASE: PASSPHRASE })).stderr, /chmod 600/);
  await chmod(file, 0o600);
});

test("check names every refusal and what does not answer; run refuses alike", async () => {
  const open = ["--listen.address", "0.0.0.0:0", "--payment.mode", "mock", "--chain.node-rpc", "http://127.0.0.1:1"];
  const env = { CAIRN_PASSPHRASE: PASSPHRASE };
  const checked = await cairn(["check", "--json", ...open], env);
  assert.equal(checked.code, 1);
  const { ok, findings } = JSON.parse(checked.stdout);
  assert.equal(ok, false);
  const codes = findings.map((finding: { readonly code: string }) => finding.code).sort();
  assert.deepEqual(codes, ["bitcoin-unreachable", "chain-unreachable", "mock-payment", "open-listener"]);
  assert.ok(!checked.stdout.includes("pw"), "the node's password is not shown");
  const run = await cairn(open, env);
  assert.equal(run.code, 1);
  assert.match(run.stderr, /mock-payment: .*\n {2}open-listener: /);
});

test("what stands against a start is told at once, a line for each, naming its setting", async () => {
  const unread = await cairn(["check", "--batch.slots", "0", "--payment.mode", "free"], {
    CAIRN_SERVICE_LOG_LEVEL: "loud",
  });
  assert.equal(unread.code, 1);
  const faults = unread.stderr
    .trim()
    .replace(/^cairn: /, "")
    .split("\n");
  const sources = faults.map((line) => line.split(":", 1)[0]);
  assert.deepEqual(new Set(sources), new Set(["--batch.slots", "--payment.mode", "CAIRN_SERVICE_LOG_LEVEL"]));
  const unfit = [
    ...["--settler.key-file", "nowhere.json", "--anchor.signer", "psbt-http", "--bitcoin", "mainnet"],
    ...["--bitcoin-rpc", "", "--payment.mode", "mock", "--payment.price-plans", "no.json"],
    ...["--anchor.final-depth", "1", "--listen.address", "0.0.0.0:0", "--chain.node-rpc", "http://127.0.0.1:1"],
  ];
  const expected = [
    ["invalid-value", "bitcoin.rpc-urls"],
    ["unreadable", "payment.price-plans"],
    ["invalid-value", "anchor.public-key"],
    ["missing-key-file", "settler.key-file"],
    ["mock-payment", "payment.mode"],
    ["open-listener", "listen.address"],
  ];
  const run = await cairn(unfit, { CAIRN_PASSPHRASE: PASSPHRASE });
  assert.equal(run.code, 1);
  const lines = run.stderr.trim().split("\n");
  assert.match(lines[0] ?? "", /a production service does not start like this:$/);
  assert.deepEqual(
    lines.slice(1).map((line) => line.trim().split(/:? /).slice(0, 2)),
    expected,
  );
  const checked = await cairn(["check", "--json", ...unfit], { CAIRN_PASSPHRASE: PASSPHRASE });
  const { findings } = JSON.parse(checked.stdout);
  assert.deepEqual(
    findings.map((finding: Readonly<Record<string, string>>) => [finding.code, finding.setting]),
    [...expected, ["chain-unreachable", "chain.node-rpc"]],
  );
});

test("the log hides tokens and passwords wherever they stand", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  log.info(
    { token: "t0p", deep: { password: "pa55", url: "http://me:pw@host/" } },
    "with cairn_live_abc_def and cairn_claim_0123 inside",
  );
  const text = lines.join("");
  for (const secret of ["t0p", "pa55", "me:pw", "abc_def", "0123"]) assert.ok(!text.includes(secret), secret);
  assert.match(text, /cairn_live_\[redacted\]/);
});
