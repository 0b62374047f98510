/** geth itself on a key store of ours, and we on what it writes. Skipped where geth is missing. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LIGHT_COST, openKeystore, STANDARD_COST } from "@cairn/keystore";
import { bytesToHex } from "@cairn/primitives";
import { outsideTool } from "../anchoring/outside-tool.ts";

const geth = outsideTool("CAIRN_GETH", ".cache/cairn/go/v1.17.5/geth");
const skip = geth === undefined && "geth is not here: npm test brings it where Go is";

function runGeth(
  args: readonly string[],
  input: string,
): Promise<{ readonly code: number | null; readonly out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(geth ?? "", args, { stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out }));
    child.stdin.end(input);
  });
}

test("geth lists, opens and rewrites our key files; we open what it wrote", { skip }, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "cairn-geth-keystore-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const keys = join(dir, "keystore");
  for (const [i, cost] of [STANDARD_COST, LIGHT_COST].entries()) {
    const key = new Uint8Array(32).fill(0x42 + i);
    const ours = await openKeystore({ dir: keys, cost });
    const address = await ours.importKey(key, "first pässword");
    ours.close();
    const listed = await runGeth(["account", "list", "--keystore", keys, "--datadir", dir], "");
    assert.ok(listed.out.includes(`{${address.slice(2)}} keystore://`), listed.out);
    // It asks for the new one, again, then the old one.
    const passwords = "second\nsecond\nfirst pässword\n";
    const updated = await runGeth(
      ["account", "update", "--lightkdf", "--keystore", keys, "--datadir", dir, address],
      passwords,
    );
    assert.equal(updated.code, 0, updated.out);
    const again = await openKeystore({ dir: keys });
    await assert.rejects(again.unlock(address, "first pässword", 1), { code: "wrong-passphrase" });
    assert.equal(await again.withPassphrase(address, "second", bytesToHex), bytesToHex(key));
    again.close();
  }
});

test("we open an account that geth made at its standard cost", { skip }, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "cairn-geth-keystore-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const [keys, password] = [join(dir, "keystore"), join(dir, "password")];
  await writeFile(password, "from geth\n");
  const made = await runGeth(["account", "new", "--keystore", keys, "--datadir", dir, "--password", password], "");
  assert.equal(made.code, 0, made.out);
  const ours = await openKeystore({ dir: keys });
  t.after(() => ours.close());
  const [account] = await ours.accounts();
  assert.ok(account !== undefined && made.out.toLowerCase().includes(account.address), made.out);
  await ours.unlock(account.address, "from geth", 0);
  assert.equal((await ours.withUnlocked(account.address, bytesToHex)).length, 66);
});
