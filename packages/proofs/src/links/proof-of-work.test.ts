import assert from "node:assert/strict";
import { it } from "node:test";
import { NETWORKS } from "@cairn/bitcoin";
import { anchoredReceipt } from "../testing/receipt-fixture.ts";
import type { Receipt } from "../types.ts";
import { proofOfWorkLink } from "./anchor.ts";

const { receipt } = anchoredReceipt();
const anchor = receipt.anchor ?? assert.fail("the fixture has an anchor");

/** Block 125,552 of Bitcoin, in six-digit agreement with Bitcoin Core: difficulty 244112.487… */
const HEADER_125552 = [
  "01000000",
  "81cd02ab7e569e8bcd9317e2fe99f2de44d49ab2b8851ba4a308000000000000",
  "e320b6c2fffc8d750423db8b1eb942ae710e951ed797f7affc8892b0f1fc122b",
  "c7f5d74df2b9441a42a14695",
].join("");

function withHeader(header: string): Receipt {
  return {
    ...receipt,
    anchor: { ...anchor, network: "mainnet", genesis_hash: NETWORKS.mainnet.genesisHash, header },
  };
}

it("names the header's own difficulty and does not claim the network's", () => {
  const outcome = proofOfWorkLink.check(withHeader(HEADER_125552), {});
  assert.equal(outcome.ok, true);
  assert.match(outcome.checked, /bits 1a44b9f2, difficulty 244112$/);
  assert.match(outcome.ok === true ? outcome.restsOn : "", /the header states its target, at most mainnet's limit/);
  assert.doesNotMatch(outcome.ok === true ? outcome.restsOn : "", /mainnet difficulty/);
});

it("an easy header of regtest says how easy it is", () => {
  const outcome = proofOfWorkLink.check(receipt, {});
  assert.match(outcome.checked, /bits 207fffff, difficulty 4\.65654e-10$/);
});

it("refuses a header that misses its target or states one easier than the limit", () => {
  assert.equal(proofOfWorkLink.check(withHeader(HEADER_125552.replace(/95$/, "96")), {}).ok, false);
  assert.equal(proofOfWorkLink.check(withHeader(anchor.header), {}).ok, false);
});
