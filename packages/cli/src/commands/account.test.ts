import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { decryptKeystoreJson, encryptKeystoreJson, Wallet } from "ethers";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const wallet = new Wallet(`0x${"42".repeat(32)}`);
const other = new Wallet(`0x${"43".repeat(32)}`);

let dir: string;
let home: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "cairn-account-"));
  home = join(dir, "home");
  await writeFile(join(dir, "password"), "pass word\nsecond line\n");
});
after(() => rm(dir, { recursive: true, force: true }));

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function cairn(args: readonly string[], input = ""): Promise<Finished> {
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", MAIN, "account", ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...flags, "--home", home], (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

test("new makes a key file that ethers opens, from a password file or piped input", async () => {
  const made = await cairn(["new", "--light-kdf", "--json", "--password-file", join(dir, "password")]);
  assert.equal(made.code, 0, made.stderr);
  const { address, file } = JSON.parse(made.stdout);
  assert.equal((await decryptKeystoreJson(await readFile(file, "utf8"), "pass word")).address, address);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const piped = await cairn(["new", "--light-kdf"], "from a pipe\n");
  assert.equal(piped.code, 0, piped.stderr);
  const [, second = "", path = ""] = /^(0x[0-9a-fA-F]{40}) {2}(.+)\n$/.exec(piped.stdout) ?? [];
  assert.equal((await decryptKeystoreJson(await readFile(path, "utf8"), "from a pipe")).address, second);
  const listed = await cairn(["list", "--json"]);
  assert.deepEqual(
    JSON.parse(listed.stdout)
      .map((entry: { address: string }) => entry.address)
      .sort(),
    [address, second].sort(),
  );
});

test("import takes hex keys and key files, each once", async () => {
  await writeFile(join(dir, "key.hex"), `${wallet.privateKey}\n`);
  await writeFile(
    join(dir, "key.json"),
    await encryptKeystoreJson(other, "theirs", { scrypt: { N: 4096, r: 8, p: 6 } }),
  );
  const hex = await cairn(["import", join(dir, "key.hex"), "--light-kdf"], "mine");
  assert.ok(hex.stdout.startsWith(`${wallet.address}  `), hex.stderr);
  const wrong = await cairn(["import", join(dir, "key.json"), "--light-kdf"], "wrong");
  assert.deepEqual([wrong.code, wrong.stderr], [1, "cairn: could not decrypt key with given password\n"]);
  const json = await cairn(["import", join(dir, "key.json"), "--light-kdf"], "theirs");
  assert.ok(json.stdout.startsWith(`${other.address}  `), json.stderr);
  const again = await cairn(["import", join(dir, "key.hex"), "--light-kdf"], "mine");
  assert.deepEqual([again.code, again.stderr], [1, "cairn: account already exists\n"]);
  const listed = await cairn(["list"]);
  assert.ok(listed.stdout.includes(wallet.address) && listed.stdout.includes(other.address));
});

test("what cannot be read is wrong usage, and no key is repeated", async () => {
  const absent = await cairn(["import", join(dir, "absent")]);
  assert.equal(absent.code, 2);
  assert.equal((await cairn(["new", "--password-file", join(dir, "absent")])).code, 2);
  await writeFile(join(dir, "short"), wallet.privateKey.slice(0, -2));
  const short = await cairn(["import", join(dir, "short")]);
  assert.equal(short.code, 1);
  assert.ok(!short.stderr.includes("4242"));
});

test("a terminal asks twice and shows nothing", { skip: process.platform === "win32" }, async (t) => {
  const command = [
    process.execPath,
    "--conditions=cairn-source",
    MAIN,
    "account",
    "new",
    "--light-kdf",
    "--home",
    home,
  ];
  const child = spawn("script", ["-qec", command.join(" "), "/dev/null"], { stdio: ["pipe", "pipe", "pipe"] });
  const started = await new Promise<boolean>((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
  if (!started) return t.skip("script(1) is not installed");
  let output = "";
  let answered = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    const asked = output.match(/assword: /g)?.length ?? 0;
    for (; answered < asked; answered++) child.stdin.write("s3cret\r");
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.equal(code, 0, output);
  assert.equal(answered, 2);
  assert.ok(!output.includes("s3cret"), output);
  const [, file = ""] = /0x[0-9a-fA-F]{40} {2}(\S+)/.exec(output) ?? [];
  await decryptKeystoreJson(await readFile(file, "utf8"), "s3cret");
});
