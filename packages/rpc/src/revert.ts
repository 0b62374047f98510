/** Owns turning a revert payload into geth's error: code 3, the decoded reason in the text, the payload as data. */
import { type RpcError, rpcError } from "@cairn/api";
import { bytesToBigint, bytesToHex } from "@cairn/primitives";

const ERROR_SELECTOR = "0x08c379a0";
const PANIC_SELECTOR = "0x4e487b71";
const WORD = 32;

const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "17": "arithmetic underflow or overflow",
  "18": "division or modulo by zero",
  "33": "enum overflow",
  "34": "invalid encoded storage byte array accessed",
  "49": "out-of-bounds array access; popping on an empty array",
  "50": "out-of-bounds access of an array or bytesN",
  "65": "out of memory",
  "81": "uninitialized function",
};

function panicText(body: Uint8Array): string | undefined {
  if (body.length < WORD) return undefined;
  const code = bytesToBigint(body.subarray(0, WORD));
  return PANICS[String(code)] ?? `unknown panic code: 0x${code.toString(16)}`;
}

function errorText(body: Uint8Array): string | undefined {
  if (body.length < 2 * WORD || bytesToBigint(body.subarray(0, WORD)) !== 32n) return undefined;
  const length = bytesToBigint(body.subarray(WORD, 2 * WORD));
  if (length > BigInt(body.length - 2 * WORD)) return undefined;
  return new TextDecoder().decode(body.subarray(2 * WORD, 2 * WORD + Number(length)));
}

/** The reason in a revert payload (`Error(string)` or `Panic(uint256)`), if it holds one. */
export function revertReason(payload: Uint8Array): string | undefined {
  const selector = bytesToHex(payload.subarray(0, 4));
  const body = payload.subarray(4);
  if (selector === ERROR_SELECTOR) return errorText(body);
  return selector === PANIC_SELECTOR ? panicText(body) : undefined;
}

/** The error of a call that reverted. */
export function revertError(payload: Uint8Array): RpcError {
  const reason = revertReason(payload);
  const shown = reason === undefined ? "" : `: ${reason}`;
  return rpcError("reverted", { reason: shown }, JSON.stringify(bytesToHex(payload)));
}
