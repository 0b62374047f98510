/** Logs of `InclusionVault`. Owns reading them; not what follows from them. */
import { join, readUint, WORD } from "./abi-word.ts";
import { fromHex, type Hex } from "./hex.ts";

/** Why a payer was skipped, in the contract's order. */
export const SHORTFALL_REASONS = [
  "not-allowed",
  "above-max-per-proof",
  "above-max-per-day",
  "insufficient-balance",
  "named-before",
] as const;
/** Why a payer was skipped. */
export type ShortfallReason = (typeof SHORTFALL_REASONS)[number];

/** Topic 0 of each event. */
export const VAULT_TOPICS = {
  /** `Deposited(address,address,uint256)`. */
  deposited: "0x8752a472e571a816aea92eec8dae9baf628e840f4929fbcc2d155e6233ff68a7",
  /** `Allowed(address,address,uint128,uint128)`. */
  allowed: "0x4f53e8ea19ae465caf1003bb0e577934a603469e2f4d459c34ef99fcfa86fe5a",
  /** `WithdrawalRequested(address,uint256,uint64)`. */
  requested: "0xbf6730b5b5d9fd45cdb42f69910317da629fd6e12b3ab41aa1708cd916385dfc",
  /** `Withdrawn(address,uint256)`. */
  withdrawn: "0x7084f5476618d8e60b11ef0d7d3f06914655adb8793e28ff7f018d4c76d505d5",
  /** `Charged(address,address,uint64,uint256,uint32,uint64,uint128)`. */
  charged: "0x5fa6a449122e4ee188731996c86a269244b77ef221942b722abacaf28d89b483",
  /** `Shortfall(address,address,uint64,uint256,uint8)`. */
  shortfall: "0xfde9ed57c56d3b49a81f602205d921c3c520a48879059c166ea6c4b040670577",
  /** `Covered(address,address,uint256)`. */
  covered: "0x06fdb1b44d28e450f3935aa915962fcc7e55ea6905292984bde52375c178ef70",
  /** `Claimed(address,uint256)`. */
  claimed: "0xd8138f8a3f377c5259ca548e70e4c2de94f129f5a11036a15b69513cba2b426a",
} as const satisfies Record<string, Hex>;

/** An event of the vault. Addresses in lower case, amounts in wei. */
export type VaultEvent =
  | { readonly name: "deposited"; readonly payer: Hex; readonly from: Hex; readonly amountWei: bigint }
  | {
      readonly name: "allowed";
      readonly payer: Hex;
      readonly settler: Hex;
      readonly maxPerProofWei: bigint;
      readonly maxPerDayWei: bigint;
    }
  | {
      readonly name: "requested";
      readonly payer: Hex;
      readonly amountWei: bigint;
      /** Unix seconds; 0: taken back. */
      readonly availableAt: bigint;
    }
  | { readonly name: "withdrawn"; readonly payer: Hex; readonly amountWei: bigint }
  | {
      readonly name: "charged";
      readonly payer: Hex;
      readonly settler: Hex;
      readonly number: bigint;
      readonly amountWei: bigint;
      readonly count: number;
      /** Days since 1970. */
      readonly day: number;
      /** Charged on that day, this included. */
      readonly spentWei: bigint;
    }
  | {
      readonly name: "shortfall";
      readonly payer: Hex;
      readonly settler: Hex;
      readonly number: bigint;
      readonly amountWei: bigint;
      readonly reason: ShortfallReason;
    }
  | { readonly name: "covered"; readonly payer: Hex; readonly settler: Hex; readonly amountWei: bigint }
  | { readonly name: "claimed"; readonly settler: Hex; readonly amountWei: bigint };

type EventName = keyof typeof VAULT_TOPICS;

/** Bits of the words of each event, indexed ones first: 160 an address. */
const WORDS: Readonly<Record<EventName, { readonly indexed: readonly number[]; readonly data: readonly number[] }>> = {
  deposited: { indexed: [160, 160], data: [256] },
  allowed: { indexed: [160, 160], data: [128, 128] },
  requested: { indexed: [160], data: [256, 64] },
  withdrawn: { indexed: [160], data: [256] },
  charged: { indexed: [160, 160, 64], data: [256, 32, 64, 128] },
  shortfall: { indexed: [160, 160, 64], data: [256, 8] },
  covered: { indexed: [160, 160], data: [256] },
  claimed: { indexed: [160], data: [256] },
};

/** Reads a log of `InclusionVault`; undefined when it is no well-formed event of it. */
export function decodeVaultEvent(log: { readonly topics: readonly Hex[]; readonly data: Hex }): VaultEvent | undefined {
  const [topic, ...indexed] = log.topics;
  const name = eventNames.find((candidate) => VAULT_TOPICS[candidate] === topic?.toLowerCase());
  if (name === undefined) return undefined;
  const layout = WORDS[name];
  if (indexed.length !== layout.indexed.length || !isHexOf(log.data, layout.data.length * WORD)) return undefined;
  if (!indexed.every((word) => isHexOf(word, WORD))) return undefined;
  const words = join([...indexed.map(fromHex), fromHex(log.data)]);
  const bits = [...layout.indexed, ...layout.data];
  const values = bits.map((width, index) => readUint(words, index * WORD, width));
  return values.every((value) => value !== undefined) ? eventOf(name, values) : undefined;
}

const eventNames = Object.keys(VAULT_TOPICS) as readonly EventName[];

function isHexOf(text: string, bytes: number): boolean {
  return text.length === 2 + 2 * bytes && /^0x[0-9a-fA-F]*$/.test(text);
}

function addressOf(value: bigint): Hex {
  return `0x${value.toString(16).padStart(40, "0")}`;
}

function eventOf(name: EventName, values: readonly bigint[]): VaultEvent | undefined {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n] = values;
  const payer = addressOf(a);
  const settler = addressOf(b);
  switch (name) {
    case "deposited":
      return { name, payer, from: settler, amountWei: c };
    case "allowed":
      return { name, payer, settler, maxPerProofWei: c, maxPerDayWei: d };
    case "requested":
      return { name, payer, amountWei: b, availableAt: c };
    case "withdrawn":
      return { name, payer, amountWei: b };
    case "charged":
      return { name, payer, settler, number: c, amountWei: d, count: Number(e), day: Number(f), spentWei: g };
    case "shortfall": {
      const reason = SHORTFALL_REASONS[Number(e)];
      return reason === undefined ? undefined : { name, payer, settler, number: c, amountWei: d, reason };
    }
    case "covered":
      return { name, payer, settler, amountWei: c };
    case "claimed":
      return { name, settler: payer, amountWei: b };
  }
}
