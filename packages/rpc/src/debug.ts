/** Owns the handlers of `debug`: consensus encodings of what is stored. */
import type { debug, Handlers } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { bytesToHex } from "@cairn/primitives";
import { found, stateBlock } from "./block-ref.ts";
import { debugTraceHandlers } from "./debug-trace.ts";
import { rawTransaction } from "./eth-blocks.ts";

/** The handlers of `debug`. */
export function debugHandlers(chain: Chain): Handlers<typeof debug> {
  const { reads } = chain;
  return {
    ...debugTraceHandlers(chain),
    debug_getRawHeader: ([block]) => `"${bytesToHex(found(reads.rawHeader(stateBlock(chain, block))))}"`,
    debug_getRawBlock: async ([block]) => `"${bytesToHex(found(await reads.rawBlock(stateBlock(chain, block))))}"`,
    debug_getRawReceipts: async ([block]) =>
      JSON.stringify(found(await reads.rawReceipts(stateBlock(chain, block))).map(bytesToHex)),
    debug_getRawTransaction: ([hash]) => `"${bytesToHex(rawTransaction(chain, hash) ?? new Uint8Array(0))}"`,
  };
}
