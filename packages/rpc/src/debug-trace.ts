/** Owns the handlers of `debug` that trace. Running and watching are the native core's, the errors' texts geth's. */
import { type debugTrace, type Handlers, MAX_BLOCK_BYTES, type RpcError, rpcError, type TraceConfig } from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";
import { bytesToHex, type Hash, keccak256, RlpError, rlpDecode, rlpEncode } from "@cairn/primitives";
import { stateBlock } from "./block-ref.ts";
import { message, nativeBlockOverrides, nativeStateOverrides } from "./call-request.ts";
import type { DebugDirectory } from "./debug-directory.ts";
import { standardTrace } from "./standard-trace.ts";

type TraceRequest = Parameters<ChainReads["trace"]>[0];
type TraceFault = Exclude<Awaited<ReturnType<ChainReads["trace"]>>, { readonly ok: true }>;

function fault({ code, reason }: TraceFault, index: number, unknownBlock: () => RpcError): RpcError {
  switch (code) {
    case "genesis":
      return rpcError("genesis-not-traceable", {});
    case "unknown-transaction":
      return rpcError("transaction-not-found", {});
    case "unknown-block":
      return unknownBlock();
    case "options":
      return rpcError("invalid-argument", { index, fault: reason.replace(/ at line \d+ column \d+$/, "") });
    case "refused":
    case "failed":
      return rpcError("trace-failed", { reason });
  }
}

async function traced(
  chain: Chain,
  request: TraceRequest,
  index: number,
  unknownBlock: () => RpcError,
): Promise<string> {
  const outcome = await chain.reads.trace(request);
  if (outcome.ok) return outcome.json;
  throw fault(outcome, index, unknownBlock);
}

function traceBlock(chain: Chain, hash: Hash, options: TraceConfig): Promise<string> {
  const unknown = (): RpcError => rpcError("block-hash-not-found", { hash });
  return traced(chain, { kind: "block", block: hash, options }, 1, unknown);
}

/** The hash of a block given as RLP: that of its header, the first item. */
function blockHash(rlp: Uint8Array): Hash {
  try {
    const block = rlpDecode(rlp);
    const header = block instanceof Uint8Array ? undefined : block[0];
    if (header === undefined || header instanceof Uint8Array) {
      throw rpcError("undecodable-block", { fault: "rlp: expected a list of header and transactions" });
    }
    return bytesToHex(keccak256(rlpEncode(header)));
  } catch (error) {
    throw error instanceof RlpError ? rpcError("undecodable-block", { fault: `rlp: ${error.message}` }) : error;
  }
}

/** The handlers of traces in geth's shapes. */
export function debugTraceHandlers(chain: Chain, directory: DebugDirectory): Handlers<typeof debugTrace> {
  return {
    debug_traceBlockFromFile: async ([file, options]) =>
      traceBlock(chain, blockHash(await directory.read(file, MAX_BLOCK_BYTES)), options),
    debug_standardTraceBlockToFile: ([hash, options]) => standardTrace(chain, directory, hash, options),
    debug_traceBadBlock: ([hash]) => {
      throw rpcError("bad-block-not-found", { hash });
    },
    debug_standardTraceBadBlockToFile: ([hash]) => {
      throw rpcError("bad-block-not-found", { hash });
    },
    debug_traceTransaction: ([hash, options]) =>
      traced(chain, { kind: "transaction", hash, options }, 1, () => rpcError("transaction-not-found", {})),
    debug_traceBlockByNumber: ([selector, options]) => {
      const block = chain.resolve(selector);
      const unknown = (): RpcError => rpcError("block-number-not-found", { number: selector });
      if (block === undefined) throw unknown();
      return traced(chain, { kind: "block", block, options }, 1, unknown);
    },
    debug_traceBlockByHash: ([hash, options]) => traceBlock(chain, hash, options),
    debug_traceBlock: ([rlp, options]) => traceBlock(chain, blockHash(rlp), options),
    debug_traceCall: ([call, selector, { stateOverrides, blockOverrides, txIndex, ...options }]) => {
      if (selector === "pending") throw rpcError("pending-not-traceable", {});
      const request: TraceRequest = {
        kind: "call",
        call: message(chain, call),
        block: stateBlock(chain, selector),
        ...(txIndex === undefined ? {} : { txIndex }),
        ...(stateOverrides === undefined ? {} : { stateOverrides: nativeStateOverrides(stateOverrides) }),
        ...(blockOverrides === undefined ? {} : { blockOverrides: nativeBlockOverrides(blockOverrides) }),
        options,
      };
      return traced(chain, request, 2, () => rpcError("header-not-found", {}));
    },
  };
}
