/**
 * Owns the two spellings of the proof-of-work fields of blocks and headers: constants that strict clients need, or the
 * nulls of the specification, by the node's setting or by `?pow-fields=null` on the client's URL.
 */
import type { CallContext } from "@cairn/api";
import type { RpcSettings } from "./options.ts";

/**
 * The constants as the JSON text of a block carries them. No transaction inside it can: a transaction's nonce is a
 * quantity, and the other names belong to headers.
 */
const CONSTANTS: readonly (readonly [string, string])[] = [
  ['"difficulty":"0x0"', '"difficulty":null'],
  ['"nonce":"0x0000000000000000"', '"nonce":null'],
  ['"sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"', '"sha3Uncles":null'],
  ['"totalDifficulty":"0x0"', '"totalDifficulty":null'],
];

/** Whether this caller gets nulls. */
export function wantsNullPowFields(settings: RpcSettings, context: CallContext): boolean {
  const asked = context.query === undefined ? null : new URLSearchParams(context.query).get("pow-fields");
  return asked === null ? settings.powFields === "null" : asked === "null";
}

/** The JSON text of a block or header with its proof-of-work fields null. */
export function nullPowFields(json: string): string {
  return CONSTANTS.reduce((text, [constant, replacement]) => text.replace(constant, replacement), json);
}
