import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { bytesToBase64, type VoteContent, verifyEd25519, voteSignBytes } from "@cairn/comet";
import { ConsensusError } from "./errors.ts";
import { createPrivValidatorKey, loadPrivValidator } from "./priv-validator.ts";
import { createTestHome } from "./test-support/test-home.ts";

const blockId = { hash: new Uint8Array(32).fill(1), parts: { total: 1, hash: new Uint8Array(32).fill(2) } };
const time = { seconds: 1_800_000_000n, nanos: 7 };
const isCode = (code: string) => (error: unknown) => error instanceof ConsensusError && error.code === code;

function vote(change: Partial<VoteContent> = {}): VoteContent {
  return { type: 2, height: 5n, round: 1, blockId, timestamp: time, chainId: "ledger-1", ...change };
}

describe("private validator", () => {
  it("signs, and repeats itself for the same vote, also after a restart", async () => {
    const { home } = await createTestHome();
    const signer = await loadPrivValidator(home);
    const first = await signer.signVote(vote());
    assert.equal(verifyEd25519(signer.pubKey.bytes, voteSignBytes(vote()), first.signature), true);
    assert.deepEqual(await signer.signVote(vote()), first);
    const later = vote({ timestamp: { ...time, nanos: 9 } });
    const restarted = await loadPrivValidator(home);
    assert.deepEqual(await restarted.signVote(later), first);
    assert.deepEqual(restarted.lastSigned(), signer.lastSigned());
  });

  it("refuses another content and every step back", async () => {
    const { home } = await createTestHome();
    await (await loadPrivValidator(home)).signVote(vote());
    const signer = await loadPrivValidator(home);
    const other = { ...blockId, hash: new Uint8Array(32).fill(3) };
    for (const refused of [
      { blockId: other },
      { chainId: "x" },
      { height: 4n, round: 9 },
      { round: 0 },
      { type: 1 as const },
    ]) {
      await assert.rejects(signer.signVote(vote(refused)), isCode("double-sign"));
    }
    for (const allowed of [{ round: 2, type: 1 as const, blockId: other }, { round: 2 }, { height: 6n, round: 0 }]) {
      await signer.signVote(vote(allowed));
    }
  });

  it("writes CometBFT's files, readable by the owner only", async () => {
    const { home } = await createTestHome();
    const fresh = readFileSync(home.privValidatorStateFile, "utf8");
    assert.equal(fresh, '{\n  "height": "0",\n  "round": 0,\n  "step": 0\n}');
    const signer = await loadPrivValidator(home);
    const { signature } = await signer.signVote(vote());
    const bytes = Buffer.from(voteSignBytes(vote())).toString("hex").toUpperCase();
    const state = `  "height": "5",\n  "round": 1,\n  "step": 3,\n  "signature": "${bytesToBase64(signature)}",\n  "signbytes": "${bytes}"`;
    assert.equal(readFileSync(home.privValidatorStateFile, "utf8"), `{\n${state}\n}`);
    for (const file of [home.privValidatorStateFile, home.privValidatorKeyFile, home.nodeKeyFile]) {
      assert.equal(statSync(file).mode & 0o777, 0o600);
    }
    const key = JSON.parse(readFileSync(home.privValidatorKeyFile, "utf8"));
    assert.deepEqual(Object.keys(key), ["address", "pub_key", "priv_key"]);
    assert.equal(Buffer.from(key.priv_key.value, "base64").length, 64);
  });

  it("keeps a key that exists and refuses a home that lost its state", async () => {
    const { home } = await createTestHome();
    const before = await loadPrivValidator(home);
    assert.deepEqual((await createPrivValidatorKey(home)).pubKey, before.pubKey);
    rmSync(home.privValidatorStateFile);
    await assert.rejects(createPrivValidatorKey(home), isCode("invalid-home"));
    await assert.rejects(loadPrivValidator(home), isCode("invalid-home"));
  });

  it("refuses damaged files without showing their content", async () => {
    const { home } = await createTestHome();
    const key = readFileSync(home.privValidatorKeyFile, "utf8");
    const swapped = Buffer.alloc(64, 1).toString("base64");
    for (const text of ["", "{}", key.replace(/("value": ")[^"]+("\n {2}}\n})/, `$1${swapped}$2`)]) {
      writeFileSync(home.privValidatorKeyFile, text);
      await assert.rejects(loadPrivValidator(home), (error: unknown) => {
        return isCode("invalid-home")(error) && error instanceof Error && !error.message.includes("value");
      });
    }
  });
});
