/** Composition root of the proof service. */
export { askBitcoinNode, askStoppedRegtest } from "./best-chain.ts";
export type { BitcoinOptions, ServiceOptions, ServicePolicy } from "./options.ts";
export { type RunningService, startService } from "./service.ts";
export { settlerAddress } from "./transaction-signer.ts";
