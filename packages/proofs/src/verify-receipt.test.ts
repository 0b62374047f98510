import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeHex, evaluateTimestamp, parseDetached, parseDisplayHash, parseHeader } from "@cairn/bitcoin";
import {
  buildOts,
  calendarAnswer,
  canonicalJson,
  type JsonValue,
  type Receipt,
  type Trust,
  verifyReceipt,
} from "./index.ts";
import { anchoredReceipt, CANONICAL_PROOF, settledReceipt } from "./testing/receipt-fixture.ts";

const fixture = anchoredReceipt();
const value = JSON.parse(JSON.stringify(fixture.receipt)) as JsonValue;
const fullTrust: Trust = {
  validatorsHashes: [fixture.validatorsHash],
  bitcoin: { kind: "checkpoint", height: fixture.bitcoinHeight, hash: fixture.bitcoinHash },
};

const LINKS = [
  "canonical-json",
  "leaf",
  "batch-path",
  "batch-header",
  "settlement-log",
  "receipt-trie",
  "transaction-trie",
  "block-header",
  "consensus-header",
  "commit-signatures",
  "anchor-path",
  "op-return",
  "transaction-branch",
  "coinbase-height",
  "proof-of-work",
  "best-chain",
];

describe("verifyReceipt on a valid receipt", () => {
  const text = canonicalJson(value);

  it("proves every link with full trust", () => {
    const outcome = verifyReceipt(text, fullTrust);
    assert.deepEqual(
      outcome.links.map(({ name }) => name),
      LINKS,
    );
    assert.deepEqual(
      outcome.links.filter(({ ok }) => ok !== true),
      [],
    );
    assert.equal(outcome.result, "proven");
    assert.equal(outcome.exitCode, 0);
  });

  it("without trust is consistent only and says what is missing", () => {
    const outcome = verifyReceipt(text);
    assert.equal(outcome.exitCode, 3);
    assert.equal(outcome.missing.length, 2);
    assert.deepEqual(
      outcome.links.filter(({ ok }) => ok === null).map(({ name }) => name),
      ["commit-signatures", "best-chain"],
    );
  });

  it("takes a block hash of either chain instead of the validators", () => {
    for (const hash of [fixture.ethereumHash, fixture.consensusHash.toUpperCase().replace("0X", "")]) {
      assert.equal(verifyReceipt(text, { ...fullTrust, validatorsHashes: [], blockHashes: [hash] }).result, "proven");
    }
    assert.equal(
      verifyReceipt(text, { ...fullTrust, validatorsHashes: [], blockHashes: ["00".repeat(32)] }).result,
      "untrusted",
    );
  });

  it("refuses validators that are not the trusted ones", () => {
    const outcome = verifyReceipt(text, { ...fullTrust, validatorsHashes: ["ab".repeat(32)] });
    assert.equal(outcome.failed, "commit-signatures");
  });

  it("judges the best chain by a node's answer", () => {
    const genesisHash = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
    const ask = (blockHash: string | null, tip: number, more: object = {}) =>
      verifyReceipt(text, { ...fullTrust, bitcoin: { kind: "node", genesisHash, blockHash, tip, ...more } });
    assert.equal(ask(fixture.bitcoinHash, 321).result, "proven");
    assert.equal(ask(fixture.bitcoinHash, 325, { minimumDepth: 6 }).result, "untrusted");
    assert.equal(ask(fixture.bitcoinHash, 326, { minimumDepth: 6 }).result, "proven");
    assert.equal(ask(null, 100).result, "untrusted");
    assert.equal(ask("ee".repeat(32), 400).failed, "best-chain");
    assert.equal(ask(fixture.bitcoinHash, 321, { genesisHash: "ee".repeat(32) }).failed, "best-chain");
  });

  it("leaves info free", () => {
    const changed = { ...fixture.receipt, info: { anything: ["goes", 1, null] } };
    assert.equal(verifyReceipt(JSON.parse(JSON.stringify(changed)), fullTrust).result, "proven");
  });

  it("says of a settled receipt that the anchor is missing", () => {
    const settled = settledReceipt();
    const outcome = verifyReceipt(JSON.parse(JSON.stringify(settled.receipt)), fullTrust);
    assert.equal(outcome.result, "untrusted");
    assert.equal(outcome.links.at(-1)?.name, "anchor-path");
  });
});

describe("verifyReceipt on what is no receipt", () => {
  it("calls it unreadable", () => {
    for (const text of ["", "no json", "[]", "null", '"x"', "{}", '{"version":2}', '{"version":"1"}']) {
      assert.equal(verifyReceipt(text).exitCode, 2, text);
    }
  });

  it("refuses text that is not canonical", () => {
    const text = canonicalJson(value);
    const variants = [
      `${text}\n`,
      ` ${text}`,
      text.replace('"version":1', '"version":1.0'),
      JSON.stringify(value, null, 1),
    ];
    for (const variant of [...variants, text.replace('"leaf":', '"leaf":{},"leaf":')]) {
      assert.equal(verifyReceipt(variant, fullTrust).failed, "canonical-json");
    }
  });
});

type Path = readonly (string | number)[];
type Container = Record<string, unknown>;

function leavesOf(node: JsonValue, path: Path = []): { path: Path; value: JsonValue }[] {
  if (typeof node !== "object" || node === null) return [{ path, value: node }];
  const entries = Array.isArray(node) ? [...node.entries()] : Object.entries(node);
  if (entries.length === 0) return [{ path, value: node }];
  return entries.flatMap(([key, child]) => leavesOf(child as JsonValue, [...path, key as string | number]));
}

function containersOf(node: JsonValue, path: Path = []): Path[] {
  if (typeof node !== "object" || node === null) return [];
  const entries = Array.isArray(node) ? [...node.entries()] : Object.entries(node);
  return [
    path,
    ...entries.flatMap(([key, child]) => containersOf(child as JsonValue, [...path, key as string | number])),
  ];
}

// A copy of the receipt in which `change` was applied to the container of the path's last step.
function changed(path: Path, change: (container: Container, key: string) => void): JsonValue {
  const copy = structuredClone(value) as JsonValue;
  let container = copy as Container;
  for (const step of path.slice(0, -1)) container = container[String(step)] as Container;
  change(container, String(path.at(-1) ?? ""));
  return copy;
}

function replaced(path: Path, other: JsonValue): JsonValue {
  return changed(path, (container, key) => {
    container[key] = other;
  });
}

function otherValues(old: JsonValue): JsonValue[] {
  if (typeof old === "number") return [old + 1, old - 1, old + 0.5, 2 ** 53, -old - 1, `${old}`, null, true];
  if (typeof old !== "string")
    return ["", 0, [], {}, true].filter((other) => JSON.stringify(other) !== JSON.stringify(old));
  const flipped = [0, Math.floor(old.length / 2), old.length - 1].map((at) => {
    const replacement = old[at] === "1" ? "2" : "1";
    return old.slice(0, at) + replacement + old.slice(at + 1);
  });
  const variants = [...flipped, `${old}0`, `${old}00`, ` ${old}`, old.slice(1), old.slice(0, -1), old.slice(0, -2)];
  const cased = [old.toUpperCase(), old.toLowerCase(), `0${old}`, "", "0x", old.replace(/^0x/, "")];
  return [...variants, ...cased, 0, null, [old], { old }].filter((other) => other !== old);
}

function assertRefused(mutant: JsonValue, what: string): void {
  const outcome = verifyReceipt(mutant, fullTrust);
  assert.equal(outcome.exitCode, 1, `${what} was not refused: ${outcome.result}`);
  assert.ok(outcome.failed !== undefined && LINKS.includes(outcome.failed), what);
  const asText = verifyReceipt(canonicalJson(mutant), fullTrust);
  assert.equal(asText.failed, outcome.failed, `${what} as text`);
}

describe("a changed receipt is refused at a named link", () => {
  const outside = leavesOf(value).filter(({ path }) => path[0] !== "info" && path[0] !== "version");

  it("has members to change", () => assert.ok(outside.length > 100));

  for (const { path, value: old } of outside) {
    it(`/${path.join("/")}`, () => {
      for (const other of otherValues(old)) {
        const mutant = replaced(path, other);
        assertRefused(mutant, `${JSON.stringify(old).slice(0, 80)} → ${JSON.stringify(other)?.slice(0, 80)}`);
      }
    });
  }

  it("with an extra member anywhere", () => {
    for (const path of containersOf(value).filter(([first]) => first !== "info")) {
      const mutant = changed([...path, "extra"], (container) => {
        if (Array.isArray(container)) container.push(container.at(-1) ?? "extra");
        else container.extra = "extra";
      });
      assertRefused(mutant, `extra in /${path.join("/")}`);
    }
  });

  it("with a missing member anywhere", () => {
    const paths = [...leavesOf(value).map(({ path }) => path), ...containersOf(value)];
    for (const path of paths.filter(([first]) => first !== undefined && first !== "info" && first !== "version")) {
      const mutant = changed(path, (container, key) => {
        if (Array.isArray(container)) container.splice(Number(key), 1);
        else delete container[key];
      });
      assertRefused(mutant, `without /${path.join("/")}`);
    }
    assertRefused(
      changed(["info"], (container) => void delete container.info),
      "without info",
    );
  });

  it("names the link of the changed part", () => {
    const failedAt = (path: Path, other: JsonValue): string | undefined =>
      verifyReceipt(replaced(path, other), fullTrust).failed;
    assert.equal(failedAt(["statement", "system"], "plonk"), "leaf");
    assert.equal(failedAt(["batch", "index"], 5), "batch-path");
    assert.equal(failedAt(["batch", "size"], 12), "batch-header");
    assert.equal(failedAt(["batch", "number"], 10), "batch-header");
    assert.equal(failedAt(["settlement", "index"], 2), "receipt-trie");
    assert.equal(failedAt(["settlement", "hub"], `0x${"00".repeat(20)}`), "settlement-log");
    assert.equal(failedAt(["settlement", "consensus", "header", "app_hash"], "AB".repeat(32)), "block-header");
    assert.equal(failedAt(["settlement", "consensus", "header", "chain_id"], "other"), "consensus-header");
    assert.equal(failedAt(["settlement", "consensus", "commit", "round"], 2), "commit-signatures");
    assert.equal(failedAt(["anchor", "sequence"], 5), "op-return");
    assert.equal(failedAt(["anchor", "tx_index"], 2), "transaction-branch");
    assert.equal(failedAt(["anchor", "height"], 322), "coinbase-height");
    assert.equal(failedAt(["anchor", "network"], "signet"), "proof-of-work");
  });
});

describe("OpenTimestamps export", () => {
  it("leads from the proof bytes to the block's Merkle root", () => {
    const { fileDigest, timestamp } = parseDetached(
      buildOts({ receipt: fixture.receipt, canonicalProof: CANONICAL_PROOF }),
    );
    const [only, ...rest] = evaluateTimestamp(timestamp, fileDigest);
    const { merkleRoot } = parseHeader(decodeHex(fixture.receipt.anchor?.header ?? ""));
    assert.deepEqual(rest, []);
    assert.deepEqual(only, { attestation: { kind: "bitcoin", height: 321 }, message: merkleRoot });
  });

  it("is pending at the calendar before the anchor, and the calendar's answer completes it", () => {
    const pendingUrl = "http://127.0.0.1:8080";
    const { receipt } = settledReceipt();
    const pending = buildOts({ receipt, pendingUrl });
    const parsed = parseDetached(pending);
    const [only] = evaluateTimestamp(parsed.timestamp, parsed.fileDigest);
    assert.deepEqual(only?.attestation, { kind: "pending", uri: pendingUrl });
    assert.equal(`0x${Buffer.from(only?.message ?? []).toString("hex")}`, receipt.batch.commitment);
    const { anchor } = fixture.receipt;
    assert.ok(anchor !== null);
    const answer = calendarAnswer({ from: "batch", anchor });
    const whole = buildOts({ receipt: fixture.receipt });
    assert.deepEqual(whole.slice(-answer.length), answer);
    const late = calendarAnswer({ from: "anchor", anchor });
    assert.deepEqual(answer.slice(-late.length), late);
    assert.throws(() => buildOts({ receipt }), RangeError);
    assert.throws(() => buildOts({ receipt: fixture.receipt, canonicalProof: new Uint8Array(3) }), RangeError);
  });
});

describe("defences of the Bitcoin branch", () => {
  const withAnchor = (change: Partial<NonNullable<Receipt["anchor"]>>): string | undefined =>
    verifyReceipt(
      { ...(value as Record<string, JsonValue>), anchor: { ...fixture.receipt.anchor, ...change } } as JsonValue,
      fullTrust,
    ).failed;

  it("refuses other depths and indices that alias", () => {
    const branch = fixture.receipt.anchor?.branch ?? [];
    assert.equal(withAnchor({ branch: [...branch, "00".repeat(32)] }), "transaction-branch");
    assert.equal(withAnchor({ tx_index: 3 + 8 }), "transaction-branch");
    assert.equal(withAnchor({ coinbase_branch: branch }), "transaction-branch");
    assert.doesNotThrow(() => parseDisplayHash(branch[0] ?? ""));
  });
});
