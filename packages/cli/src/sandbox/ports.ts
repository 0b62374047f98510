/** Where the parts of a sandbox listen: loopback, the documented ports plus an offset. */

/** A port for every listener. */
export interface SandboxPorts {
  readonly jsonRpc: number;
  readonly jsonRpcWs: number;
  readonly consensusRpc: number;
  readonly reader: number;
  readonly service: number;
  readonly bitcoin: number;
}

/** Where every listener of a sandbox is bound. */
export const LOOPBACK = "127.0.0.1";

/** Largest offset that keeps every port below 65,536. */
export const MAX_PORT_OFFSET = 65_535 - 26_657;

/** The ports of the sandbox with that offset. */
export function sandboxPorts(offset: number): SandboxPorts {
  return {
    jsonRpc: 8545 + offset,
    jsonRpcWs: 8546 + offset,
    consensusRpc: 26_657 + offset,
    reader: 8080 + offset,
    service: 8090 + offset,
    bitcoin: 18_443 + offset,
  };
}
