/**
 * Owns turning changes of `ValidatorRegistry` into consensus validator updates: the difference a block makes to the
 * registry's powers. Powers above `MAX_POWER` count as none and a change that would leave no power at all is not handed
 * on, so that no registry entry can stop the chain.
 */
import type { ValidatorUpdate } from "@cairn/abci";
import { etherbaseSlot, ValidatorRegistry } from "@cairn/contracts";
import type { ExecutedTx, Native } from "@cairn/native";
import {
  type Address,
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  type Hash,
  hexToBytes,
  keccak256,
} from "@cairn/primitives";

/** Largest power of one validator: a hundred of them stay below the engine's bound on the sum. */
export const MAX_POWER: bigint = 1n << 53n;

const VALIDATOR_SET_TOPIC = bytesToHex(
  keccak256(new TextEncoder().encode("ValidatorSet(address,bytes32,uint64,address,address)")),
);

interface RegistryEntry {
  readonly pubKey: string;
  readonly power: bigint;
}

type Registry = Map<Address, RegistryEntry>;

interface RegistryLog {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: string;
}

/** Updates that the executed transactions of a block bring about; `parent` is the height of the state before it. */
export function validatorUpdates(
  native: Pick<Native, "storage">,
  parent: bigint,
  executed: readonly ExecutedTx[],
): readonly ValidatorUpdate[] {
  const changes = executed.flatMap(registryLogs);
  if (changes.length === 0) return [];
  const before = readRegistry(native, parent);
  const after: Registry = new Map(before);
  for (const log of changes) after.set(lowAddress(log.topics[1] ?? "0x"), entryOf(log.data));
  if ([...after.values()].every((entry) => entry.power === 0n)) return [];
  return [...after].flatMap(([address, { pubKey, power }]) =>
    (before.get(address)?.power ?? 0n) === power
      ? []
      : [{ pubKeyType: "ed25519" as const, pubKey: hexToBytes(pubKey), power }],
  );
}

function registryLogs(tx: ExecutedTx): readonly RegistryLog[] {
  if (!tx.success || !tx.logsJson.includes(VALIDATOR_SET_TOPIC)) return [];
  const logs: readonly RegistryLog[] = JSON.parse(tx.logsJson);
  return logs.filter(
    (log) => log.address.toLowerCase() === ValidatorRegistry.address && log.topics[0] === VALIDATOR_SET_TOPIC,
  );
}

/** Data of the event: key, power, operator, etherbase, a word each. */
function entryOf(data: string): RegistryEntry {
  return { pubKey: `0x${data.slice(2, 66)}`, power: effective(BigInt(`0x${data.slice(66, 130)}`)) };
}

const effective = (power: bigint): bigint => (power > MAX_POWER ? 0n : power);

const lowAddress = (word: string): Address => `0x${word.slice(-40).toLowerCase()}`;

const ADDRESSES_SLOT = 2n;
const POWER_SHIFT = 160n;

function readRegistry(native: Pick<Native, "storage">, number: bigint): Registry {
  const word = (slot: bigint): bigint => {
    const bytes = native.storage(ValidatorRegistry.address, bigintToWord(slot), number);
    return bytes === undefined ? 0n : bytesToBigint(bytes);
  };
  const registry: Registry = new Map();
  const first = bytesToBigint(keccak256(bigintToWord(ADDRESSES_SLOT)));
  const count = word(ADDRESSES_SLOT);
  for (let index = 0n; index < count; index++) {
    const address = lowAddress(bytesToHex(bigintToWord(word(first + index))));
    const slot = bytesToBigint(etherbaseSlot(hexToBytes(address))) - 2n;
    const power = effective((word(slot + 1n) >> POWER_SHIFT) & 0xffff_ffff_ffff_ffffn);
    registry.set(address, { pubKey: bytesToHex(bigintToWord(word(slot))), power });
  }
  return registry;
}

function bigintToWord(value: bigint): Uint8Array {
  const bytes = bigintToBytes(value);
  const word = new Uint8Array(32);
  word.set(bytes, 32 - bytes.length);
  return word;
}
