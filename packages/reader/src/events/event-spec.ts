/** What a `contract` entry reads of a log: the event, the argument that is the root, and which logs are meant. */
import { bytesToHex, type Hex } from "@cairn/primitives";
import type { AbiType } from "../abi/abi-type.ts";
import { type Signature, signatureHash } from "../abi/signature.ts";

/** A filter on one argument. */
export interface Where {
  readonly argument: string;
  /** False: logs whose argument has this value are passed over. */
  readonly equal: boolean;
  /** Integers as bigint, bytes and addresses as lower-case hex. */
  readonly value: bigint | boolean | string;
}

/** Which logs are wanted and what of them is submitted. */
export interface EventSpec {
  readonly signature: Signature;
  readonly topic0: Hex;
  /** Name of the argument submitted as commitment. */
  readonly root: string;
  readonly where: readonly Where[];
}

/** A specification whose names are those of the signature. Returns what is wrong, or the specification. */
export function eventSpec(
  signature: Signature,
  root: string | undefined,
  where: readonly Where[],
): EventSpec | { readonly problem: string } {
  const { parameters } = signature;
  if (parameters.some((parameter) => parameter.name === "")) return { problem: "every argument needs a name" };
  if (parameters.filter((parameter) => parameter.indexed).length > 3) return { problem: "at most 3 are indexed" };
  const words = parameters.filter(({ type }) => type.kind === "fixed-bytes" && type.size === 32);
  const chosen = root ?? (words.length === 1 ? words[0]?.name : undefined);
  const parameter = parameters.find(({ name }) => name === chosen);
  const names = parameters.map(({ name }) => name).join(", ");
  if (parameter === undefined) return { problem: `name the argument that is the root with option root: ${names}` };
  if (!canBeRoot(parameter.type, parameter.indexed)) return { problem: `${parameter.name} cannot be a root` };
  const unknown = where.find(({ argument }) => !parameters.some(({ name }) => name === argument));
  if (unknown !== undefined) return { problem: `where names "${unknown.argument}", the arguments are ${names}` };
  return { signature, topic0: bytesToHex(signatureHash(signature)), root: parameter.name, where };
}

/** An indexed argument of variable length is only a hash of it in the log. */
function canBeRoot(type: AbiType, indexed: boolean): boolean {
  if (type.kind === "bytes") return !indexed;
  return type.kind === "fixed-bytes" || type.kind === "uint" || type.kind === "int";
}
