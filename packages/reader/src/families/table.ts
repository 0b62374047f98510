/** The families the reader knows, and finding the one an entry's method selects. */
import { ANSWERED } from "./answered.ts";
import { BITCOIN } from "./bitcoin.ts";
import { CELESTIA, COMET_BLOCK, COMET_COMMIT } from "./comet.ts";
import { EVM } from "./evm.ts";
import type { FamilyRow } from "./family.ts";
import { SUBSTRATE } from "./substrate.ts";
import { SUI_GRPC, SUI_JSON } from "./sui.ts";
import { TON } from "./ton.ts";
import { TRON } from "./tron.ts";

/** All rows; where two share a method the first is meant unless option `family` says otherwise. */
export const FAMILIES: readonly FamilyRow[] = [
  EVM,
  COMET_BLOCK,
  COMET_COMMIT,
  CELESTIA,
  SUBSTRATE,
  BITCOIN,
  ...ANSWERED,
  SUI_GRPC,
  SUI_JSON,
  TON,
  TRON,
];

/** Every method that selects a family. */
export const KNOWN_METHODS: readonly string[] = [...new Set(FAMILIES.flatMap((row) => row.methods))];

/** The row a method selects; undefined for an unknown method, or one that is not of the family named. */
export function familyOf(method: string, family: string | undefined): FamilyRow | undefined {
  return FAMILIES.find((row) => row.methods.includes(method) && (family === undefined || row.name === family));
}
