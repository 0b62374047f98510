/** Owns the handlers of `web3`, `net` and `rpc`. */
import { type Handlers, methodTables, type net, openRpcDocument, type rpc, type web3 } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { bytesToHex, keccak256 } from "@cairn/primitives";
import type { RpcSettings } from "./options.ts";

/** The handlers of `web3`. */
export function web3Handlers(settings: RpcSettings): Handlers<typeof web3> {
  return {
    web3_clientVersion: () => JSON.stringify(settings.clientVersion),
    web3_sha3: ([input]) => `"${bytesToHex(keccak256(input))}"`,
  };
}

/** The handlers of `net`. */
export function netHandlers(chain: Chain, settings: RpcSettings): Handlers<typeof net> {
  return {
    net_version: () => `"${chain.chainId}"`,
    net_peerCount: () => String(settings.peerCount()),
    net_listening: () => String(settings.isListening()),
  };
}

/** The handlers of `rpc`. */
export function rpcHandlers(settings: RpcSettings): Handlers<typeof rpc> {
  const served = [...new Set([...settings.namespaces, "rpc"])].sort();
  const modules = JSON.stringify(Object.fromEntries(served.map((namespace) => [namespace, "1.0"])));
  const [, version = ""] = settings.clientVersion.split("/");
  let document: string | undefined;
  const discover = (): string => {
    const tables = Object.fromEntries(Object.entries(methodTables).filter(([namespace]) => served.includes(namespace)));
    document ??= JSON.stringify(openRpcDocument(tables, version));
    return document;
  };
  return { rpc_modules: () => modules, rpc_discover: discover, "rpc.discover": discover };
}
