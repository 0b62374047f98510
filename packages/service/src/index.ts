/** Composition root of the proof service. */
export type { BitcoinOptions, ServiceOptions, ServicePolicy } from "./options.ts";
export { type RunningService, startService } from "./service.ts";
