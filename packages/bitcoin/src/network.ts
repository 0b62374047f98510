/** What tells one Bitcoin network from another for someone who holds only a header. */
export interface NetworkParameters {
  /** Display hash of block 0. */
  readonly genesisHash: string;
  /** Easiest compact target a block may state. */
  readonly powLimitBits: number;
}

/** By the names used in receipts. */
export const NETWORKS = {
  mainnet: {
    genesisHash: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
    powLimitBits: 0x1d00ffff,
  },
  testnet4: {
    genesisHash: "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043",
    powLimitBits: 0x1d00ffff,
  },
  signet: {
    genesisHash: "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
    powLimitBits: 0x1e0377ae,
  },
  regtest: {
    genesisHash: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
    powLimitBits: 0x207fffff,
  },
} as const satisfies Record<string, NetworkParameters>;
