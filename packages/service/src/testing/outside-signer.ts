/**
 * An external signer of anchors for tests: the stock library on a key of its own, behaving as it is told. As a program
 * it is what `anchor.signer-command` names: arguments are the behaviour and the secret key in hex.
 */
import { text } from "node:stream/consumers";
import { p2wpkh, SigHash, TEST_NETWORK, Transaction } from "@scure/btc-signer";
import { pubECDSA } from "@scure/btc-signer/utils.js";

/** What a signer may do with a PSBT; `signs` is the honest one. */
export type PsbtBehaviour =
  | "signs"
  | "signs-nothing"
  | "garbage"
  | "nothing"
  | "pays-itself"
  | "pays-more-fee"
  | "signs-another"
  | "signs-loosely";

const OPTIONS = { allowUnknownOutputs: true } as const;
/** Lets anybody change the outputs. */
const LOOSE = SigHash.NONE_ANYONECANPAY;
const THIEF = new Uint8Array(32).fill(0x66);

/** The compressed public key of a secret one. */
export const publicKeyOf = (secret: Uint8Array): Uint8Array => pubECDSA(secret, true);

/** The answer to a PSBT in base64. */
export function answerPsbt(behaviour: PsbtBehaviour, psbt: string, secret: Uint8Array): string {
  const asked = Transaction.fromPSBT(Buffer.from(psbt, "base64"), OPTIONS);
  if (behaviour === "signs-nothing") return psbt;
  if (behaviour === "garbage") return "cHNidP8 this is no PSBT";
  if (behaviour === "nothing") return "";
  const tx = altered(behaviour, asked);
  tx.sign(secret, [SigHash.ALL, LOOSE]);
  return Buffer.from(tx.toPSBT()).toString("base64");
}

/** The same inputs with other outputs, or another transaction. */
function altered(behaviour: PsbtBehaviour, asked: Transaction): Transaction {
  const change = asked.getOutput(0);
  const amount = change.amount ?? 0n;
  const own = change.script ?? new Uint8Array();
  if (behaviour === "pays-itself") return rebuilt(asked, p2wpkh(publicKeyOf(THIEF), TEST_NETWORK).script, amount);
  if (behaviour === "pays-more-fee") return rebuilt(asked, own, amount - 1_000n);
  if (behaviour === "signs-another") return rebuilt(asked, own, amount, new Uint8Array(32).fill(5));
  if (behaviour === "signs-loosely") asked.updateInput(0, { sighashType: LOOSE }, true);
  return asked;
}

function rebuilt(asked: Transaction, script: Uint8Array, amount: bigint, firstTxid?: Uint8Array): Transaction {
  const tx = new Transaction({ version: 2, ...OPTIONS });
  for (let index = 0; index < asked.inputsLength; index += 1) {
    const input = asked.getInput(index);
    tx.addInput(index === 0 && firstTxid !== undefined ? { ...input, txid: firstTxid } : input);
  }
  tx.addOutput({ script, amount });
  tx.addOutput(asked.getOutput(1));
  return tx;
}

async function main([behaviour = "", secret = ""]: readonly string[]): Promise<void> {
  const psbt = (await text(process.stdin)).trim();
  if (behaviour === "refuses") process.exit(3);
  if (behaviour === "dies") process.kill(process.pid, "SIGSEGV");
  if (behaviour === "floods") {
    for (;;)
      if (!process.stdout.write("A".repeat(65_536))) await new Promise((next) => process.stdout.once("drain", next));
  }
  process.stdout.write(answerPsbt(behaviour as PsbtBehaviour, psbt, Buffer.from(secret, "hex")));
}

if (import.meta.main) await main(process.argv.slice(2));
