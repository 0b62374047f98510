import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import {
  type BlockId,
  type Commit,
  type CommitCheck,
  createValidator,
  type Validator,
  verifyCommit,
  voteSignBytes,
  ZERO_TIME,
} from "./index.ts";

const CHAIN = "test-chain";
const TIME = { seconds: 1_700_000_000n, nanos: 5 };
const blockId: BlockId = { hash: new Uint8Array(32).fill(7), parts: { total: 1, hash: new Uint8Array(32).fill(9) } };

/** A commit at height 4 by validators of the given powers, of whom only the listed ones sign. */
function committed(powers: readonly bigint[], signers: readonly number[]): CommitCheck {
  const keys = powers.map(() => generateKeyPairSync("ed25519"));
  const validators: Validator[] = keys.map((pair, i) => {
    const bytes = new Uint8Array(Buffer.from(pair.publicKey.export({ format: "jwk" }).x ?? "", "base64url"));
    return createValidator({ type: "ed25519", bytes }, powers[i] ?? 0n);
  });
  const message = voteSignBytes({ type: 2, height: 4n, round: 0, blockId, timestamp: TIME, chainId: CHAIN });
  const signatures = validators.map((validator, i) => {
    const key = keys[i]?.privateKey;
    if (!signers.includes(i) || key === undefined) {
      const empty = new Uint8Array(0);
      return { blockIdFlag: 1, validatorAddress: empty, timestamp: ZERO_TIME, signature: empty } as const;
    }
    const signature = new Uint8Array(sign(null, message, key));
    return { blockIdFlag: 2, validatorAddress: validator.address, timestamp: TIME, signature } as const;
  });
  const commit: Commit = { height: 4n, round: 0, blockId, signatures };
  return { chainId: CHAIN, validators, blockId, height: 4n, commit };
}

function code(check: CommitCheck): string {
  const verdict = verifyCommit(check);
  return verdict.ok ? "ok" : verdict.code;
}

describe("verifyCommit", () => {
  it("needs more than two thirds of the power", () => {
    assert.equal(code(committed([1n, 1n, 1n], [0, 1])), "not-enough-power");
    assert.equal(code(committed([1n, 1n, 1n, 1n], [0, 1, 3])), "ok");
    assert.equal(code(committed([10n, 1n], [0])), "ok");
    assert.equal(code(committed([10n, 1n], [1])), "not-enough-power");
    assert.equal(code(committed([1n], [])), "not-enough-power");
  });

  it("stops at the signature that suffices", () => {
    let calls = 0;
    const verdict = verifyCommit({
      ...committed([1n, 1n, 1n, 1n], [0, 1, 2, 3]),
      verify: () => {
        calls++;
        return true;
      },
    });
    assert.deepEqual(verdict, { ok: true, power: 3n, total: 4n });
    assert.equal(calls, 3);
  });

  it("refuses another height, block, chain, set size or order", () => {
    const check = committed([3n, 2n], [0, 1]);
    const [first, second] = check.validators;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(code({ ...check, height: 5n }), "wrong-height");
    assert.equal(code({ ...check, blockId: { ...blockId, hash: new Uint8Array(32) } }), "wrong-block");
    assert.equal(code({ ...check, blockId: { ...blockId, parts: { ...blockId.parts, total: 2 } } }), "wrong-block");
    assert.equal(code({ ...check, chainId: "other" }), "bad-signature");
    assert.equal(code({ ...check, validators: [first] }), "wrong-set-size");
    assert.equal(code({ ...check, validators: [second, first] }), "wrong-address");
  });

  it("refuses what cannot be a validator set", () => {
    const check = committed([3n, 2n], [0, 1]);
    const [first, second] = check.validators;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(code({ ...check, validators: [] }), "invalid-validators");
    assert.equal(code({ ...check, validators: [first, first] }), "invalid-validators");
    assert.equal(code({ ...check, validators: [first, { ...second, power: 0n }] }), "invalid-validators");
    assert.equal(code({ ...check, validators: [first, { ...second, power: 1n << 62n }] }), "invalid-validators");
    assert.equal(code({ ...check, validators: [first, { ...second, address: first.address }] }), "invalid-validators");
    const short = { type: "ed25519", bytes: new Uint8Array(31) } as const;
    assert.equal(code({ ...check, validators: [first, { ...second, pubKey: short }] }), "invalid-validators");
  });

  it("refuses a changed signature, time or round and a key it cannot check", () => {
    const check = committed([1n], [0]);
    const [entry] = check.commit.signatures;
    assert.ok(entry !== undefined);
    const withEntry = (change: object): CommitCheck => ({
      ...check,
      commit: { ...check.commit, signatures: [{ ...entry, ...change }] },
    });
    const flipped = entry.signature.slice();
    flipped[5] = (flipped[5] ?? 0) ^ 1;
    assert.equal(code(withEntry({ signature: flipped })), "bad-signature");
    assert.equal(code(withEntry({ signature: entry.signature.slice(1) })), "bad-signature");
    assert.equal(code(withEntry({ timestamp: { ...TIME, nanos: 6 } })), "bad-signature");
    assert.equal(code({ ...check, commit: { ...check.commit, round: 1 } }), "bad-signature");
    const key = { type: "secp256k1", bytes: Uint8Array.from({ length: 33 }, (_, i) => (i === 0 ? 2 : i)) } as const;
    const other = createValidator(key, 1n);
    const foreign = { ...withEntry({ validatorAddress: other.address }), validators: [other] };
    assert.equal(code(foreign), "unsupported-key");
  });
});
