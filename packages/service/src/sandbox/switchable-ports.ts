/** The ports to chain and Bitcoin behind the sandbox's fault switches: what leaves the process fails, the rest stays. */
import type { SettlementPort } from "@cairn/aggregator";
import type { BitcoinSide } from "../ports/bitcoin.ts";
import { type ServiceFaults, switchable } from "./controls.ts";

/** The chain, unreachable while the switch says so. */
export function switchableChain<T extends SettlementPort>(port: T, faults: ServiceFaults): T {
  const asked = ["genesis", "head", "nonce", "send", "locate", "settled", "parts"] as const;
  return switchable(port, asked, () => faults.chainUnreachable);
}

/** Bitcoin, unreachable while the switch says so. */
export function switchableBitcoin(side: BitcoinSide, faults: ServiceFaults): BitcoinSide {
  const asked = ["tip", "blockHash", "block", "funding", "isSpent", "spender", "broadcast"] as const;
  return { ...side, port: switchable(side.port, asked, () => faults.bitcoinUnreachable) };
}
