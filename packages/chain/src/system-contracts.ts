/**
 * Owns the system contracts that Prague execution expects in the state (EIP-4788 beacon roots, EIP-2935 block hashes):
 * their addresses and standard runtime code. Feeding them is the core's duty.
 */
import type { GenesisAlloc } from "./eth-genesis.ts";

/** EIP-4788: answers the parent consensus hash by timestamp. */
export const BEACON_ROOTS_ADDRESS = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02";

/** EIP-2935: answers the hashes of the last 8191 blocks. */
export const BLOCK_HASHES_ADDRESS = "0x0000f90827f1c53a10cb7a02335b175320002935";

const BEACON_ROOTS_CODE =
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500";

const BLOCK_HASHES_CODE =
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500";

/** Both contracts as genesis entries, nonce 1 as Ethereum deploys them. */
export const SYSTEM_CONTRACTS: GenesisAlloc = {
  [BEACON_ROOTS_ADDRESS]: { balance: "0x0", nonce: 1, code: BEACON_ROOTS_CODE },
  [BLOCK_HASHES_ADDRESS]: { balance: "0x0", nonce: 1, code: BLOCK_HASHES_CODE },
};
