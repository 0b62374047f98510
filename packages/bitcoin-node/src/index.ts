/** Bitcoin node client, anchor wallet and embedded regtest. Decides nothing about when to anchor. */
export type * from "./types.ts";
