import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { decryptKeystoreJson, encryptKeystoreJson, Wallet } from "ethers";
import { keyAddress } from "./account-key.ts";
import { openKeystore } from "./keystore.ts";
import { KeystoreError } from "./keystore-error.ts";
import { createManualClock } from "./testing/manual-clock.ts";

const TINY = { n: 2, r: 1, p: 1 };
const KEY = hexToBytes(`0x${"42".repeat(32)}`);
const ADDRESS = keyAddress(KEY);
const NOBODY = `0x${"ee".repeat(20)}` as const;
const refused = (code: string) => (error: unknown) => error instanceof KeystoreError && error.code === code;

async function setUp(t: TestContext) {
  const parent = await mkdtemp(join(tmpdir(), "cairn-keystore-"));
  const dir = join(parent, "keystore");
  const clock = createManualClock();
  const keystore = await openKeystore({ dir, cost: TINY, clock });
  t.after(() => {
    keystore.close();
    return rm(parent, { recursive: true, force: true });
  });
  return { dir, clock, keystore };
}

describe("key store", () => {
  it("names and protects files as geth does, and other programs read them", async (t) => {
    const { dir, keystore } = await setUp(t);
    const address = await keystore.create("first");
    const [name = "", ...others] = (await readdir(dir)).filter((entry) => entry !== "soft");
    assert.deepEqual(others, []);
    assert.equal(name, `UTC--2026-01-02T03-04-05.678000000Z--${address.slice(2)}`);
    assert.equal((await stat(join(dir, name))).mode & 0o777, 0o600);
    assert.equal((await stat(dir)).mode & 0o777, 0o700);
    const account = await decryptKeystoreJson(await readFile(join(dir, name), "utf8"), "first");
    assert.equal(account.address.toLowerCase(), address);
  });

  it("takes in files that others put there, and passes over what is none", async (t) => {
    const { dir, clock, keystore } = await setUp(t);
    assert.deepEqual(await keystore.accounts(), []);
    const wallet = new Wallet(bytesToHex(KEY));
    const text = await encryptKeystoreJson(wallet, "theirs", { scrypt: { N: 2, r: 1, p: 1 } });
    const foreign = `UTC--2020-01-01T00-00-00.000000000Z--${wallet.address.slice(2).toLowerCase()}`;
    await writeFile(join(dir, foreign), text);
    await writeFile(join(dir, "notes.txt"), "no key");
    await writeFile(join(dir, "big"), `{"version":3,"x":"${"y".repeat(100_000)}"}`);
    await writeFile(join(dir, ".hidden"), text);
    await writeFile(join(dir, `${foreign}~`), text);
    await mkdir(join(dir, "directory"));
    await symlink("/nowhere", join(dir, "dangling"));
    clock.pass(1000);
    const [account, ...others] = await keystore.accounts();
    assert.deepEqual(others, []);
    assert.deepEqual(account, { address: wallet.address.toLowerCase(), file: foreign, isUnlocked: false });
    const key = await keystore.withPassphrase(account.address, "theirs", (secret) => bytesToHex(secret));
    assert.equal(key, wallet.privateKey);
  });

  it("shows a new account to everyone who asks at once", async (t) => {
    const { keystore } = await setUp(t);
    await keystore.accounts();
    const address = await keystore.create("x");
    const lists = await Promise.all([keystore.accounts(), keystore.accounts(), keystore.accounts()]);
    for (const accounts of lists)
      assert.deepEqual(
        accounts.map((account) => account.address),
        [address],
      );
  });

  it("unlocks for a time, locks, and never hands out a locked key", async (t) => {
    const { clock, keystore } = await setUp(t);
    assert.equal(await keystore.importKey(KEY, "right"), ADDRESS);
    const use = () => keystore.withUnlocked(ADDRESS, (key) => bytesToHex(key));
    await assert.rejects(use(), refused("locked"));
    await assert.rejects(keystore.unlock(ADDRESS, "wrong", 300), refused("wrong-passphrase"));
    await assert.rejects(use(), refused("locked"));
    await keystore.unlock(ADDRESS, "right", 300);
    assert.equal(await use(), bytesToHex(KEY));
    clock.pass(300_000);
    await assert.rejects(use(), refused("locked"));
    await keystore.unlock(ADDRESS, "right", 0);
    clock.pass(1e12);
    assert.equal(await use(), bytesToHex(KEY));
    keystore.lock(ADDRESS);
    await assert.rejects(use(), refused("locked"));
    assert.equal(await keystore.withPassphrase(ADDRESS, "right", (key) => bytesToHex(key)), bytesToHex(KEY));
    await assert.rejects(use(), refused("locked"));
    await assert.rejects(keystore.unlock(ADDRESS, "right", 9_223_372_037), refused("unlock-too-long"));
  });

  it("wipes a key after its one use, and all on close", async (t) => {
    const { keystore } = await setUp(t);
    await keystore.importKey(KEY, "right");
    const once = await keystore.withPassphrase(ADDRESS, "right", (key) => key);
    assert.deepEqual(once, new Uint8Array(32));
    await keystore.unlock(ADDRESS, "right", 0);
    const held = await keystore.withUnlocked(ADDRESS, (key) => key);
    assert.deepEqual(held, KEY);
    const opening = keystore.unlock(ADDRESS, "right", 0);
    keystore.close();
    assert.deepEqual(held, new Uint8Array(32));
    await assert.rejects(opening, refused("closed"));
    await assert.rejects(
      keystore.withUnlocked(ADDRESS, () => 1),
      refused("locked"),
    );
  });

  it("refuses unknown and doubled accounts and keys it has", async (t) => {
    const { dir, clock, keystore } = await setUp(t);
    await keystore.importKey(KEY, "right");
    await assert.rejects(keystore.importKey(KEY, "other"), refused("account-exists"));
    await assert.rejects(keystore.importKey(new Uint8Array(32), "x"), refused("invalid-key"));
    await assert.rejects(keystore.unlock(NOBODY, "x", 1), refused("unknown-account"));
    await assert.rejects(
      keystore.withUnlocked(NOBODY, () => 1),
      refused("unknown-account"),
    );
    keystore.lock(NOBODY);
    const [{ file } = { file: "" }] = await keystore.accounts();
    await writeFile(join(dir, "copy"), await readFile(join(dir, file)));
    clock.pass(1000);
    await assert.rejects(keystore.unlock(ADDRESS, "right", 1), refused("ambiguous-account"));
  });

  it("slows wrong passphrases down per account, however many come at once", async (t) => {
    const { clock, keystore } = await setUp(t);
    await keystore.importKey(KEY, "right");
    const other = await keystore.create("right");
    const tries = Array.from({ length: 12 }, (_, i) => keystore.unlock(ADDRESS, `wrong${i}`, 1));
    const codes = (await Promise.allSettled(tries)).map((outcome) => {
      assert.ok(outcome.status === "rejected" && outcome.reason instanceof KeystoreError);
      return outcome.reason.code;
    });
    assert.equal(codes.filter((code) => code === "wrong-passphrase").length, 3);
    assert.equal(codes.filter((code) => code === "throttled").length, 9);
    await assert.rejects(keystore.unlock(ADDRESS, "right", 1), { code: "throttled", retryAfterMs: 1000 });
    await keystore.unlock(other, "right", 1);
    clock.pass(1000);
    await keystore.unlock(ADDRESS, "right", 1);
    await assert.rejects(keystore.unlock(ADDRESS, "wrong", 1), refused("wrong-passphrase"));
    await keystore.unlock(ADDRESS, "right", 1);
  });

  it("lets a bounded number of checks wait", async (t) => {
    const { keystore } = await setUp(t);
    await keystore.importKey(KEY, "right");
    const tries = Array.from({ length: 20 }, () => keystore.withPassphrase(ADDRESS, "right", () => 1));
    const outcomes = await Promise.allSettled(tries);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 16);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") assert.ok(refused("busy")(outcome.reason));
    }
  });

  it("keeps software wallets as accounts with names", async (t) => {
    const { dir, keystore } = await setUp(t);
    const address = await keystore.create("pairing", "cold");
    assert.deepEqual(await readdir(join(dir, "soft")), ["cold.json"]);
    assert.deepEqual(await keystore.wallet("cold"), {
      ...{ address, file: join("soft", "cold.json"), wallet: "cold", isUnlocked: false },
    });
    await assert.rejects(keystore.create("pairing", "cold"), refused("wallet-exists"));
    await assert.rejects(keystore.wallet("warm"), refused("unknown-wallet"));
    await keystore.unlock(address, "pairing", 0);
    assert.equal((await keystore.wallet("cold")).isUnlocked, true);
  });

  it("leaves nothing behind when a file cannot be written", async (t) => {
    const { dir, keystore } = await setUp(t);
    await mkdir(join(dir, "soft", "taken.json"));
    await assert.rejects(keystore.create("pairing", "taken"));
    assert.deepEqual(await readdir(join(dir, "soft")), ["taken.json"]);
    assert.deepEqual(await keystore.accounts(), []);
    await chmod(dir, 0o700);
  });
});
