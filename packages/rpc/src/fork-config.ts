/** Owns the answer of `eth_config` (EIP-7910): Prague from block 0, this chain's precompile, no blobs. */
import { crc32 } from "node:zlib";
import { type Hash, hexToBytes, quantityToHex } from "@cairn/primitives";

const PRECOMPILES = [
  ...["ECREC", "SHA256", "RIPEMD160", "ID", "MODEXP", "BN254_ADD", "BN254_MUL", "BN254_PAIRING", "BLAKE2F"],
  ...["KZG_POINT_EVALUATION", "BLS12_G1ADD", "BLS12_G1MSM", "BLS12_G2ADD", "BLS12_G2MSM", "BLS12_PAIRING_CHECK"],
  ...["BLS12_MAP_FP_TO_G1", "BLS12_MAP_FP2_TO_G2"],
];
const VERIFY_PROOFS = `0x${"c000".padStart(40, "0")}`;
const BEACON_ROOTS = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02";
const HISTORY_STORAGE = "0x0000f90827f1c53a10cb7a02335b175320002935";

/** JSON text of the configuration; the fork id is that of a chain whose forks are all active at block 0. */
export function forkConfigJson(chainId: bigint, genesisHash: Hash): string {
  const standard = PRECOMPILES.map((name, i) => [name, `0x${(i + 1).toString(16).padStart(40, "0")}`]);
  const current = {
    activationTime: 0,
    blobSchedule: { baseFeeUpdateFraction: 5_007_716, max: 0, target: 0 },
    chainId: quantityToHex(chainId),
    forkId: `0x${crc32(hexToBytes(genesisHash)).toString(16).padStart(8, "0")}`,
    precompiles: Object.fromEntries([...standard, ["VERIFY_PROOFS", VERIFY_PROOFS]]),
    systemContracts: { BEACON_ROOTS_ADDRESS: BEACON_ROOTS, HISTORY_STORAGE_ADDRESS: HISTORY_STORAGE },
  };
  return JSON.stringify({ current, next: null, last: null });
}
