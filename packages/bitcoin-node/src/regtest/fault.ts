/** An error of the embedded node's RPC, with Bitcoin Core's number and text. */
export class RegtestFault extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = "RegtestFault";
    this.code = code;
  }
}

/** Bitcoin Core's numbers (rpc/protocol.h). */
export const FAULT = {
  misc: -1,
  type: -3,
  notFound: -5,
  invalidParameter: -8,
  deserialization: -22,
  verify: -25,
  rejected: -26,
  alreadyInChain: -27,
  invalidRequest: -32600,
  methodNotFound: -32601,
  parse: -32700,
} as const;
