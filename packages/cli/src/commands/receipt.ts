/** `cairn receipt` and `cairn verify`: fetching a receipt, and checking one offline. */
import { readFileSync, writeFileSync } from "node:fs";
import { encodeVerifyInclusionCall } from "@cairn/contracts";
import { bytesToHex } from "@cairn/primitives";
import { isReceipt, type Receipt, type Verification, verifyReceipt } from "@cairn/proofs";
import { createServiceClient, type ServiceClient } from "@cairn/sdk";
import type { Command } from "commander";
import { addConnectionFlags, type ConnectionFlags, connectionOf } from "../connection.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { gatherTrust, type TrustFlags } from "../trust.ts";

interface ReceiptFlags extends ConnectionFlags {
  readonly output?: string;
  readonly ots?: boolean;
  readonly inclusion?: boolean;
}

interface VerifyFlags extends TrustFlags {
  readonly json?: boolean;
}

const VERIFY_ENDING: Ending = {
  examples: [
    "cairn verify receipt.json",
    "cairn verify receipt.json --trust genesis.json --bitcoin-node http://user:password@127.0.0.1:8332",
    "cairn verify receipt.json --trust VALIDATORS_HASH --checkpoint 840000:BLOCK_HASH",
  ],
  notes: [
    "Each link is checked from the file alone; trust comes from outside it. Without --trust it is that of --home, or of",
    "the sandbox in this directory.",
  ],
  codes: "0 every link proven, 1 false, 2 unreadable or wrong usage, 3 consistent but a trust root is missing",
};

/** Adds both commands to the program. */
export function addReceiptCommands(program: Command): void {
  const fetching = addConnectionFlags(program.command("receipt"))
    .description("fetch the receipt of a submission")
    .argument("<id>", "id of the submission")
    .option("-o, --output <file>", "write to a file instead of standard output")
    .option("--ots", "the OpenTimestamps form instead of JSON")
    .option("--inclusion", "the arguments and call data of ProofHub.verifyInclusion, for a contract, as JSON")
    .action(receipt);
  addEnding(fetching, {
    examples: ["cairn receipt ID > receipt.json", "cairn receipt ID --ots -o proof.ots"],
    notes: ["Standard output, or the file, has the receipt itself: JSON, or binary with --ots."],
    codes: "0 done, 1 not available, 2 wrong usage",
  });
  const verifying = program
    .command("verify")
    .description("check every link of a receipt offline")
    .argument("<file>", "receipt (JSON), or - for standard input")
    .option("--trust <file|hash...>", "genesis or validators file; hash of a validator set or of a block")
    .option("--bitcoin-node <url>", "Bitcoin node to ask whether the anchor's block is in the best chain")
    .option("--checkpoint <height:hash>", "a Bitcoin block known to be in the best chain")
    .option("--home <dir>", "home of a sandbox whose validators and regtest are trusted (or CAIRN_HOME)")
    .option("--json", "print a JSON object")
    .action(verify);
  addEnding(verifying, VERIFY_ENDING);
}

async function receipt(id: string, flags: ReceiptFlags): Promise<void> {
  const client = createServiceClient(connectionOf(flags));
  const content = await contentOf(client, id, flags);
  if (flags.output !== undefined) writeFileSync(flags.output, content);
  else process.stdout.write(content);
}

async function contentOf(client: ServiceClient, id: string, flags: ReceiptFlags): Promise<string | Uint8Array> {
  if (flags.ots === true) return client.receiptOts(id);
  if (flags.inclusion !== true) return client.receiptText(id);
  return `${JSON.stringify(inclusionOf(await client.receipt(id)), null, 2)}\n`;
}

/** What a contract on the chain needs to check the receipt's leaf. */
function inclusionOf({ batch, leaf, settlement }: Receipt): object {
  const { commitment, header, index, path } = batch;
  const args = { commitment, header, leaf: leaf.hash, index, path };
  return { to: settlement.hub, data: bytesToHex(encodeVerifyInclusionCall(args)), ...args };
}

async function verify(file: string, flags: VerifyFlags): Promise<void> {
  const text = readReceipt(file);
  const parsed = parse(text);
  const trust = await gatherTrust(flags, isReceipt(parsed) ? parsed : undefined);
  const verification = verifyReceipt(text, trust.trust);
  const notes = [...trust.notes, ...(isReceipt(parsed) ? notesOf(parsed) : []), ...adviceOn(verification)];
  process.stdout.write(
    flags.json === true ? `${JSON.stringify(verification, null, 2)}\n` : render(verification, notes),
  );
  process.exitCode = verification.exitCode;
}

function readReceipt(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch {
    throw new CommandError(`cannot read ${file}`, EXIT.usage);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the file says of itself and nothing proves; a label that the proven network contradicts is told so. */
function notesOf({ info, anchor }: Receipt): readonly string[] {
  const { environment } = info;
  const network = anchor === null ? "not anchored yet" : `anchored on ${anchor.network}`;
  const contradicted = environment === "production" && anchor?.network === "regtest";
  const doubt = contradicted ? "; REGTEST IS TEST MONEY: this is no production receipt" : "";
  return [`the file says environment ${String(environment)} (info is not proven); ${network}${doubt}`];
}

/** Other programs write JSON with other spaces and orders: that alone is refused, and easily mended. */
function adviceOn({ failed }: Verification): readonly string[] {
  if (failed !== "canonical-json") return [];
  return ["was the file written again by another program? Compare the bytes as served: cairn receipt ID -o FILE"];
}

const MARKS = new Map([
  [true, "ok  "],
  [false, "FAIL"],
  [null, "?   "],
]);

function render({ links, missing, result, failed }: Verification, notes: readonly string[]): string {
  const lines = links.map(({ ok, name, checked, restsOn }) => {
    return `${MARKS.get(ok)} ${name.padEnd(18)} ${checked}${restsOn === "" ? "" : ` [${restsOn}]`}`;
  });
  const verdicts: Readonly<Record<Verification["result"], string>> = {
    proven: "PROVEN: every link holds.",
    untrusted: "CONSISTENT, but not proven: a trust root is missing.",
    false: `FALSE: the link ${failed ?? ""} does not hold.`,
    unreadable: "UNREADABLE: this is no receipt.",
  };
  return [
    ...lines,
    ...notes.map((note) => `note ${note}`),
    ...missing.map((line) => `missing ${line}`),
    verdicts[result],
    "",
  ].join("\n");
}
