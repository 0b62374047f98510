/** Owns the handlers of `debug`: consensus encodings of what is stored, and the parts of the namespace put together. */
import { inspect } from "node:util";
import { type debug, type Handlers, rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { bytesToHex } from "@cairn/primitives";
import { found, stateBlock } from "./block-ref.ts";
import { createDebugDirectory } from "./debug-directory.ts";
import { debugProcessHandlers } from "./debug-process.ts";
import { debugStateHandlers } from "./debug-state.ts";
import { debugTraceHandlers } from "./debug-trace.ts";
import { rawTransaction } from "./eth-blocks.ts";
import type { RpcSettings } from "./options.ts";

/** The value found at a height; throws `block #N not found`. */
function foundAt<T>(number: bigint, value: T | null): T {
  if (value === null) throw rpcError("block-number-not-found", { number });
  return value;
}

/** The handlers of `debug`, and an end to what they watch. */
export function debugHandlers(chain: Chain, settings: RpcSettings): Handlers<typeof debug> & { close(): void } {
  const { reads } = chain;
  const directory = createDebugDirectory(settings.debugDir);
  return {
    ...debugTraceHandlers(chain, directory),
    ...debugStateHandlers(chain),
    ...debugProcessHandlers(settings, directory),
    debug_getBlockRlp: async ([number]) => `"${bytesToHex(foundAt(number, await reads.rawBlock(number)))}"`,
    debug_printBlock: async ([number]) => {
      const block: object = JSON.parse(foundAt(number, await reads.blockJson(number, true)));
      return JSON.stringify(inspect(block, { depth: 8, maxArrayLength: null, maxStringLength: null }));
    },
    debug_getRawHeader: ([block]) => `"${bytesToHex(found(reads.rawHeader(stateBlock(chain, block))))}"`,
    debug_getRawBlock: async ([block]) => `"${bytesToHex(found(await reads.rawBlock(stateBlock(chain, block))))}"`,
    debug_getRawReceipts: async ([block]) =>
      JSON.stringify(found(await reads.rawReceipts(stateBlock(chain, block))).map(bytesToHex)),
    debug_getRawTransaction: ([hash]) => `"${bytesToHex(rawTransaction(chain, hash) ?? new Uint8Array(0))}"`,
  };
}
