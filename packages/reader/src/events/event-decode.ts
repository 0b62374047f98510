/** One log as an event: strictly, or not at all. */
import { type Hex, hexToBytes } from "@cairn/primitives";
import { AbiMismatch, type AbiValue, decodeParameters, decodeWord } from "../abi/abi-decode.ts";
import { isDynamic } from "../abi/abi-type.ts";
import type { EventSpec, Where } from "./event-spec.ts";

/** A log that fits its event. */
export interface DecodedEvent {
  readonly arguments: Readonly<Record<string, AbiValue>>;
  /** What is submitted: 1 to 64 bytes. */
  readonly root: Hex;
}

/** The arguments by name. Throws AbiMismatch when topics or data are not exactly the event's. */
export function decodeEvent(spec: EventSpec, topics: readonly Hex[], data: Hex): DecodedEvent {
  const { parameters } = spec.signature;
  const indexed = parameters.filter((parameter) => parameter.indexed);
  if (topics.length !== indexed.length + 1) {
    throw new AbiMismatch(`expected ${indexed.length + 1} topics, got ${topics.length}`);
  }
  if (topics[0] !== spec.topic0) throw new AbiMismatch("the first topic is of another event");
  const values: Record<string, AbiValue> = {};
  indexed.forEach((parameter, i) => {
    const topic = topics[i + 1] ?? "0x";
    // Of a value of variable length the log holds only the hash.
    const composed = isDynamic(parameter.type) || parameter.type.kind === "array" || parameter.type.kind === "tuple";
    values[parameter.name] = composed ? topic : decodeWord(parameter.type, hexToBytes(topic));
  });
  const others = parameters.filter((parameter) => !parameter.indexed);
  decodeParameters(others, hexToBytes(data)).forEach((value, i) => {
    values[others[i]?.name ?? ""] = value;
  });
  return { arguments: values, root: rootBytes(values[spec.root]) };
}

function rootBytes(value: AbiValue | undefined): Hex {
  if (typeof value === "bigint") return `0x${BigInt.asUintN(256, value).toString(16).padStart(64, "0")}`;
  if (typeof value === "string" && value.startsWith("0x") && value.length >= 4 && value.length <= 130) {
    return value as Hex;
  }
  throw new AbiMismatch("the root is not 1 to 64 bytes");
}

/** Whether a log is one of those meant. */
export function matches(where: readonly Where[], values: DecodedEvent["arguments"]): boolean {
  return where.every(({ argument, equal, value }) => (values[argument] === value) === equal);
}
