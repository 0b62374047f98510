/**
 * Owns how outcomes of transactions read on the consensus side: 0 success, 1 executed and failed, 2 and above not
 * executed (chain-node: "Receipts and status"). Codes are covered by the block's `last_results_hash`: never renumber.
 */
import type { CheckTxResponse, ExecTxResult } from "@cairn/abci";
import type { ExecutedTx, SkippedTx } from "@cairn/native";
import { txEvents } from "./events.ts";
import type { SubmitOutcome } from "./submission.ts";

const NOTHING = new Uint8Array(0);

/** Codespace of every code of this application. */
export const CODESPACE = "evm";

/** The result of one transaction of a block. Events are built when first read. */
export function txResult(outcome: ExecutedTx | SkippedTx, raw: Uint8Array): ExecTxResult {
  if (!outcome.included) {
    const { code, reason } = outcome;
    return { code, data: NOTHING, log: reason, info: "", gasWanted: 0n, gasUsed: 0n, events: [], codespace: CODESPACE };
  }
  let events: ExecTxResult["events"] | undefined;
  return {
    code: outcome.success ? 0 : 1,
    data: NOTHING,
    log: "",
    info: "",
    gasWanted: outcome.gasLimit,
    gasUsed: outcome.gasUsed,
    get events() {
      events ??= txEvents(outcome, raw);
      return events;
    },
    codespace: outcome.success ? "" : CODESPACE,
  };
}

type RefusalCode = Extract<SubmitOutcome, { readonly ok: false }>["code"];

/** `CheckTx` code of each refusal. */
export const CHECK_CODES: Readonly<Record<RefusalCode, number>> = {
  undecodable: 2,
  "unsupported-type": 3,
  "wrong-chain-id": 4,
  unprotected: 5,
  "invalid-signature": 6,
  "intrinsic-gas": 7,
  "gas-above-block-limit": 8,
  "initcode-too-large": 9,
  "tip-above-fee-cap": 10,
  oversized: 11,
  "empty-authorization-list": 12,
  "already-known": 13,
  "nonce-too-low": 14,
  "insufficient-funds": 15,
  "below-minimum": 16,
  "replacement-underpriced": 17,
  underpriced: 18,
  "pool-full": 19,
  "future-replaces-pending": 20,
  closed: 21,
  "in-flight-limit": 22,
  "delegated-gap": 23,
  "authority-reserved": 24,
  "floor-gas": 25,
};

/** The `CheckTx` answer for a submission; a transaction the pool holds already is fine. */
export function checkResult(outcome: SubmitOutcome, gasWanted: bigint): CheckTxResponse {
  const blank = { data: NOTHING, info: "", gasUsed: 0n, events: [] };
  if (outcome.ok || outcome.code === "already-known") return { ...blank, code: 0, log: "", gasWanted, codespace: "" };
  return { ...blank, code: CHECK_CODES[outcome.code], log: outcome.code, gasWanted, codespace: CODESPACE };
}
