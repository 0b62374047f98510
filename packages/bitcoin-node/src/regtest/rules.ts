/**
 * Consensus rules of the embedded node: what makes a transaction or a block valid on a given set of coins. Pure; policy
 * (fees, dust, replacement) stands in `mempool.ts`. Reasons are Bitcoin Core's reject reasons.
 */
import {
  type BitcoinBlock,
  type BitcoinTransaction,
  checkProofOfWork,
  coinbaseHeightPush,
  displayHash,
  equalBytes,
  hasDuplicatePair,
  hasWitness,
  isCoinbase,
  merkleRoot,
  sha256d,
  subsidySat,
  transactionId,
  transactionWeight,
  witnessId,
} from "@cairn/bitcoin";
import type { CoinRow } from "./chain-store.ts";
import { COINBASE_MATURITY, REGTEST_BITS, REGTEST_HALVING } from "./genesis.ts";
import { checkInputSignature } from "./signature.ts";

/** No amount exceeds this. */
export const MAX_MONEY_SAT = 2_100_000_000_000_000n;
/** Weight units of a block. */
export const MAX_BLOCK_WEIGHT = 4_000_000;

const SEQUENCE_FINAL = 0xffffffff;
const SEQUENCE_NO_RELATIVE_LOCK = 0x80000000;
const COMMITMENT_HEAD = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);

/** Looks up an unspent output. */
export type CoinLookup = (txid: Uint8Array, vout: number) => CoinRow | undefined;

/** Outcome of checking a transaction. */
export type TxCheck = { readonly ok: true; readonly feeSat: bigint } | { readonly ok: false; readonly reason: string };

const no = (reason: string) => ({ ok: false, reason }) as const;

/** Map key of an outpoint. */
export function outpointKey(txid: Uint8Array, vout: number): string {
  return `${displayHash(txid)}:${vout}`;
}

/** Checks a transaction that is no coinbase for a block at `height`. */
export function checkTransaction(
  tx: BitcoinTransaction,
  o: { readonly coin: CoinLookup; readonly height: number; readonly medianTime: number },
): TxCheck {
  const form = checkForm(tx);
  if (form !== undefined) return no(form);
  if (!isFinal(tx, o.height, o.medianTime)) return no("bad-txns-nonfinal");
  let inSat = 0n;
  for (const [index, input] of tx.inputs.entries()) {
    const coin = o.coin(input.txid, input.vout);
    if (coin === undefined) return no("bad-txns-inputs-missingorspent");
    if (coin.coinbase && o.height - coin.height < COINBASE_MATURITY) return no("bad-txns-premature-spend-of-coinbase");
    if (tx.version >= 2 && input.sequence < SEQUENCE_NO_RELATIVE_LOCK) return no("non-BIP68-final");
    const script = checkInputSignature(tx, index, coin);
    if (script === "unsupported") return no("bad-txns-nonstandard-inputs");
    if (script === "invalid")
      return no("mandatory-script-verify-flag-failed (Script failed an OP_EQUALVERIFY or signature operation)");
    inSat += coin.valueSat;
  }
  const feeSat = inSat - tx.outputs.reduce((sum, output) => sum + output.valueSat, 0n);
  return feeSat < 0n ? no("bad-txns-in-belowout") : { ok: true, feeSat };
}

/** What is wrong with the transaction whatever the chain; undefined: nothing. */
export function checkForm(tx: BitcoinTransaction): string | undefined {
  if (transactionWeight(tx) > MAX_BLOCK_WEIGHT) return "bad-txns-oversize";
  let total = 0n;
  for (const output of tx.outputs) {
    total += output.valueSat;
    if (output.valueSat > MAX_MONEY_SAT) return "bad-txns-vout-toolarge";
    if (total > MAX_MONEY_SAT) return "bad-txns-txouttotal-toolarge";
  }
  const outpoints = new Set(tx.inputs.map((input) => outpointKey(input.txid, input.vout)));
  if (outpoints.size !== tx.inputs.length) return "bad-txns-inputs-duplicate";
  return undefined;
}

/** Whether the lock time is reached (BIP 113) or disabled by final sequences. */
export function isFinal(tx: BitcoinTransaction, height: number, medianTime: number): boolean {
  if (tx.lockTime === 0 || tx.inputs.every((input) => input.sequence === SEQUENCE_FINAL)) return true;
  return tx.lockTime < (tx.lockTime < 500_000_000 ? height : medianTime);
}

/** What is wrong with a block as such; undefined: nothing. */
export function checkBlockForm(block: BitcoinBlock, height: number): string | undefined {
  const [coinbase, ...others] = block.transactions;
  if (block.header.bits !== REGTEST_BITS) return "bad-diffbits";
  if (!checkProofOfWork(block.header, REGTEST_BITS)) return "high-hash";
  const txids = block.transactions.map(transactionId);
  if (!equalBytes(merkleRoot(txids), block.header.merkleRoot)) return "bad-txnmrklroot";
  if (hasDuplicatePair(txids)) return "bad-txns-duplicate";
  if (coinbase === undefined || !isCoinbase(coinbase)) return "bad-cb-missing";
  if (others.some(isCoinbase)) return "bad-cb-multiple";
  if (block.transactions.reduce((sum, tx) => sum + transactionWeight(tx), 324) > MAX_BLOCK_WEIGHT)
    return "bad-blk-weight";
  return checkCoinbase(coinbase, height) ?? checkWitnessCommitment(block, coinbase);
}

/** What is wrong with the block's transactions on the coins before it; undefined: nothing. */
export function checkBlockSpends(
  block: BitcoinBlock,
  o: { readonly coin: CoinLookup; readonly height: number; readonly medianTime: number },
): string | undefined {
  const created = new Map<string, CoinRow>();
  const spent = new Set<string>();
  let feesSat = 0n;
  const coin: CoinLookup = (txid, vout) => {
    const key = outpointKey(txid, vout);
    return spent.has(key) ? undefined : (created.get(key) ?? o.coin(txid, vout));
  };
  for (const tx of block.transactions) {
    if (!isCoinbase(tx)) {
      const check = checkTransaction(tx, { ...o, coin });
      if (!check.ok) return check.reason;
      feesSat += check.feeSat;
      for (const input of tx.inputs) spent.add(outpointKey(input.txid, input.vout));
    }
    const txid = transactionId(tx);
    for (const [vout, { valueSat, scriptPubKey }] of tx.outputs.entries()) {
      created.set(outpointKey(txid, vout), {
        valueSat,
        script: scriptPubKey,
        height: o.height,
        coinbase: isCoinbase(tx),
      });
    }
  }
  const reward = block.transactions[0]?.outputs.reduce((sum, output) => sum + output.valueSat, 0n) ?? 0n;
  return reward > subsidySat(o.height, REGTEST_HALVING) + feesSat ? "bad-cb-amount" : undefined;
}

/** The output script that commits to the witnesses of these transactions (BIP 141). */
export function witnessCommitment(transactions: readonly BitcoinTransaction[], reserved: Uint8Array): Uint8Array {
  const ids = transactions.map((tx, i) => (i === 0 ? new Uint8Array(32) : witnessId(tx)));
  return Uint8Array.of(...COMMITMENT_HEAD, ...sha256d(Uint8Array.of(...merkleRoot(ids), ...reserved)));
}

function checkCoinbase(coinbase: BitcoinTransaction, height: number): string | undefined {
  const script = coinbase.inputs[0]?.scriptSig ?? new Uint8Array();
  if (script.length < 2 || script.length > 100) return "bad-cb-length";
  const push = coinbaseHeightPush(height);
  if (!push.every((byte, i) => byte === script[i])) return "bad-cb-height";
  return checkForm(coinbase);
}

function checkWitnessCommitment(block: BitcoinBlock, coinbase: BitcoinTransaction): string | undefined {
  const committed = coinbase.outputs.findLast(
    ({ scriptPubKey }) => scriptPubKey.length >= 38 && COMMITMENT_HEAD.every((byte, i) => scriptPubKey[i] === byte),
  );
  if (committed === undefined) return block.transactions.some(hasWitness) ? "unexpected-witness" : undefined;
  const witness = coinbase.inputs[0]?.witness ?? [];
  const reserved = witness[0];
  if (witness.length !== 1 || reserved?.length !== 32) return "bad-witness-nonce-size";
  const expected = witnessCommitment(block.transactions, reserved);
  return equalBytes(expected, committed.scriptPubKey.subarray(0, 38)) ? undefined : "bad-witness-merkle-match";
}
