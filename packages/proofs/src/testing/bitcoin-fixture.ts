/** Bitcoin transactions and a header for tests. */
import {
  type BitcoinHeader,
  type BitcoinTransaction,
  checkProofOfWork,
  coinbaseHeightPush,
  concatBytes as concat,
  opReturnScript,
  type TxOutput,
} from "@cairn/bitcoin";
import { sha256 } from "@cairn/primitives";
import { text } from "../wire.ts";

const seed = (label: string): Uint8Array => sha256(text(label));

/** A coinbase that states the height. */
export function coinbase(height: number): BitcoinTransaction {
  const scriptSig = concat(coinbaseHeightPush(height), Uint8Array.of(4, 1, 2, 3, 4));
  const input = { txid: new Uint8Array(32), vout: 0xffffffff, scriptSig, sequence: 0xffffffff, witness: [] };
  return { version: 2, inputs: [input], outputs: [payment("miner")], lockTime: 0 };
}

/** A made-up payment, with an OP_RETURN when there is data. */
export function spend(label: string, data?: Uint8Array): BitcoinTransaction {
  const input = { txid: seed(label), vout: 1, scriptSig: new Uint8Array(), sequence: 0xfffffffd, witness: [] };
  const extra = data === undefined ? [] : [{ valueSat: 0n, scriptPubKey: opReturnScript(data) }];
  return { version: 2, inputs: [input], outputs: [payment(label), ...extra], lockTime: 0 };
}

function payment(label: string): TxOutput {
  return { valueSat: 50_000n, scriptPubKey: concat(Uint8Array.of(0, 20), seed(label).slice(0, 20)) };
}

/** A header with this root that meets regtest's target. */
export function solve(merkleRoot: Uint8Array): BitcoinHeader {
  const header = { version: 0x20000000, previous: seed("previous"), merkleRoot, time: 1_700_000_100, bits: 0x207fffff };
  for (let nonce = 0; ; nonce += 1) {
    if (checkProofOfWork({ ...header, nonce })) return { ...header, nonce };
  }
}
