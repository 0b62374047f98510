/**
 * Offline verification of a receipt: a pure function over its text and what the caller trusts. Owns the order of the
 * links and the verdict; each link stands in `links/`.
 */
import { canonicalJson } from "./canonical-json.ts";
import {
  anchorPathLink,
  bestChainLink,
  coinbaseHeightLink,
  opReturnLink,
  proofOfWorkLink,
  transactionBranchLink,
} from "./links/anchor.ts";
import { batchHeaderLink, batchPathLink } from "./links/batch.ts";
import { blockHeaderLink, commitSignaturesLink, consensusHeaderLink } from "./links/consensus.ts";
import { leafLink } from "./links/leaf.ts";
import { broken, type Link, type LinkOutcome } from "./links/link.ts";
import { receiptTrieLink, settlementLogLink, transactionTrieLink } from "./links/settlement.ts";
import { receiptSchema } from "./receipt-schema.ts";
import { checkSchema, type SchemaFault } from "./schema-check.ts";
import type { JsonValue, Receipt } from "./types.ts";
import type { LinkName, LinkReport, Trust, Verification, VerificationResult } from "./verification.ts";

/** Longest receipt in characters. */
export const MAX_RECEIPT_CHARS = 16_000_000;

const SETTLEMENT_LINKS: readonly Link[] = [
  leafLink,
  batchPathLink,
  batchHeaderLink,
  settlementLogLink,
  receiptTrieLink,
  transactionTrieLink,
  blockHeaderLink,
  consensusHeaderLink,
  commitSignaturesLink,
];

const ANCHOR_LINKS: readonly Link[] = [
  anchorPathLink,
  opReturnLink,
  transactionBranchLink,
  coinbaseHeightLink,
  proofOfWorkLink,
  bestChainLink,
];

const EXIT_CODES = { proven: 0, false: 1, unreadable: 2, untrusted: 3 } as const;

/**
 * Checks every link of a receipt in order and stops at the first that is false. Given text, its bytes must be the
 * canonical JSON; given a value, that link is about the value alone. Never throws.
 */
export function verifyReceipt(receipt: string | JsonValue, trust: Trust = {}): Verification {
  const read = readJson(receipt);
  if (read === undefined) return unreadable("this is not JSON");
  const { value } = read;
  if (!isVersion1(value)) return unreadable("this is not a receipt of version 1");
  const reports: LinkReport[] = [canonicalReport(read)];
  if (reports[0]?.ok === false) return conclude(reports, []);
  if (isReceipt(value)) return checkLinks(value, trust, reports);
  const fault = checkSchema(receiptSchema, value) ?? { pointer: "", fault: "does not have the form of a receipt" };
  return conclude([...reports, formReport(fault)], []);
}

/** Whether a value has the form of a receipt; nothing in it is checked against anything. */
export function isReceipt(value: unknown): value is Receipt {
  return checkSchema(receiptSchema, value) === undefined;
}

function readJson(receipt: string | JsonValue): { value: JsonValue; text?: string } | undefined {
  if (typeof receipt !== "string") return { value: receipt };
  if (receipt.length > MAX_RECEIPT_CHARS) return undefined;
  try {
    return { value: JSON.parse(receipt) as JsonValue, text: receipt };
  } catch {
    return undefined;
  }
}

function isVersion1(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && "version" in value && value.version === 1;
}

function canonicalReport({ value, text }: { value: JsonValue; text?: string }): LinkReport {
  const same = text === undefined || canonicalOrNothing(value) === text;
  if (!same) return report("canonical-json", broken("the file is not the canonical JSON of its content"));
  const checked = text === undefined ? "a value, not a file" : "the file is the canonical JSON of its content";
  return report("canonical-json", { ok: true, checked, restsOn: "RFC 8785" });
}

function canonicalOrNothing(value: JsonValue): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

function checkLinks(receipt: Receipt, trust: Trust, reports: LinkReport[]): Verification {
  const missing: string[] = [];
  for (const link of receipt.anchor === null ? SETTLEMENT_LINKS : [...SETTLEMENT_LINKS, ...ANCHOR_LINKS]) {
    const outcome = outcomeOf(link, receipt, trust);
    reports.push(report(link.name, outcome));
    if (outcome.ok === false) return conclude(reports, missing);
    if (outcome.ok === null) missing.push(outcome.missing);
  }
  if (receipt.anchor === null) {
    const restsOn = "the next anchor";
    reports.push({ name: "anchor-path", ok: null, checked: "the batch is not anchored in Bitcoin yet", restsOn });
    missing.push("the anchor in Bitcoin, which is not there yet");
  }
  return conclude(reports, missing);
}

// Unreadable bytes inside a link make that link false.
function outcomeOf(link: Link, receipt: Receipt, trust: Trust): LinkOutcome {
  try {
    return link.check(receipt, trust);
  } catch (error) {
    return broken(`cannot be read: ${error instanceof Error ? error.message : "unknown fault"}`);
  }
}

function report(name: LinkName, outcome: LinkOutcome): LinkReport {
  return { name, ok: outcome.ok, checked: outcome.checked, restsOn: outcome.ok === false ? "" : outcome.restsOn };
}

function conclude(links: readonly LinkReport[], missing: readonly string[]): Verification {
  const failed = links.find(({ ok }) => ok === false);
  const result: VerificationResult = failed !== undefined ? "false" : missing.length > 0 ? "untrusted" : "proven";
  return {
    result,
    exitCode: EXIT_CODES[result],
    links,
    missing,
    ...(failed === undefined ? {} : { failed: failed.name }),
  };
}

function unreadable(checked: string): Verification {
  const link = { name: "canonical-json", ok: false, checked, restsOn: "" } as const;
  return { result: "unreadable", exitCode: EXIT_CODES.unreadable, links: [link], missing: [] };
}

const FIELD_LINKS: readonly (readonly [pointer: string, link: LinkName])[] = [
  ["/statement", "leaf"],
  ["/leaf", "leaf"],
  ["/batch/header", "batch-header"],
  ["/batch/commitment", "batch-header"],
  ["/batch/number", "batch-header"],
  ["/batch", "batch-path"],
  ["/settlement/consensus/header", "consensus-header"],
  ["/settlement/consensus", "commit-signatures"],
  ["/settlement/header_rlp", "block-header"],
  ["/settlement/transaction", "transaction-trie"],
  ["/settlement/receipt_proof", "receipt-trie"],
  ["/settlement", "settlement-log"],
  ["/anchor/raw_tx", "op-return"],
  ["/anchor/output", "op-return"],
  ["/anchor/sequence", "op-return"],
  ["/anchor/header", "proof-of-work"],
  ["/anchor/network", "proof-of-work"],
  ["/anchor/genesis_hash", "proof-of-work"],
  ["/anchor/height", "coinbase-height"],
  ["/anchor/tx_index", "transaction-branch"],
  ["/anchor/branch", "transaction-branch"],
  ["/anchor/coinbase", "transaction-branch"],
  ["/anchor", "anchor-path"],
];

// A member that breaks the schema fails the link that reads it.
function formReport({ pointer, fault }: SchemaFault): LinkReport {
  const name = FIELD_LINKS.find(([prefix]) => pointer.startsWith(prefix))?.[1] ?? "canonical-json";
  return report(name, broken(`${pointer === "" ? "the receipt" : pointer} ${fault}`));
}
