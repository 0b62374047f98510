/**
 * Owns typed structured data (EIP-712): checking a document and its hash. Versions as wallets know them: `v4`, and `v3`
 * without arrays and absent structs.
 */
import { concatBytes, keccak256 } from "@cairn/primitives";
import { type EncodeField, encodeAtom } from "./typed-data-atoms.ts";
import { type StructTypes, structTypes, TypedDataError, typeText } from "./typed-data-types.ts";

/** The revision of `eth_signTypedData` that is asked for. */
export type TypedDataVersion = "v3" | "v4";

type Json = Readonly<Record<string, unknown>>;

const DOMAIN = "EIP712Domain";
const DOMAIN_FIELDS = [
  ["name", "string"],
  ["version", "string"],
  ["chainId", "uint256"],
  ["verifyingContract", "address"],
  ["salt", "bytes32"],
] as const;
const ZERO_WORD = new Uint8Array(32);
const MAX_DEPTH = 32;
const TEXT = new TextEncoder();

function asJson(value: unknown, what: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypedDataError(`${what} is no object`);
  return value as Json;
}

function own(object: Json, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function encoder(types: StructTypes, version: TypedDataVersion) {
  const hashStruct = (name: string, value: Json, depth: number): Uint8Array => {
    if (depth > MAX_DEPTH) throw new TypedDataError("the data is nested too deeply");
    const fields = types.get(name) ?? [];
    const words = fields.map((field) =>
      encodeField(field.type, own(value, field.name), `${name}.${field.name}`, depth),
    );
    return keccak256(concatBytes(keccak256(TEXT.encode(typeText(types, name))), ...words));
  };
  const encodeArray = (type: string, value: unknown, where: string, depth: number): Uint8Array => {
    if (version === "v3") throw new TypedDataError(`${where}: arrays need version 4`);
    const [, item = "", size = ""] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
    if (!Array.isArray(value)) throw new TypedDataError(`${where} is no array`);
    if (size !== "" && value.length !== Number(size)) throw new TypedDataError(`${where} has not ${size} items`);
    return keccak256(concatBytes(...value.map((entry: unknown) => encodeField(item, entry, where, depth + 1))));
  };
  const encodeField: EncodeField = (type, value, where, depth) => {
    if (depth > MAX_DEPTH) throw new TypedDataError("the data is nested too deeply");
    if (type.endsWith("]")) return encodeArray(type, value, where, depth);
    if (!types.has(type)) return encodeAtom(type, value, where);
    if (version === "v4" && (value === undefined || value === null)) return ZERO_WORD;
    return hashStruct(type, asJson(value, where), depth + 1);
  };
  return hashStruct;
}

function withDomain(types: Json, domain: Json): Json {
  if (Object.hasOwn(types, DOMAIN)) return types;
  const fields = DOMAIN_FIELDS.filter(([name]) => own(domain, name) !== undefined);
  return { ...types, [DOMAIN]: fields.map(([name, type]) => ({ name, type })) };
}

/** keccak(0x19 0x01 ‖ domain separator ‖ hash of the message). Throws `TypedDataError` for what is no typed data. */
export function typedDataHash(document: unknown, version: TypedDataVersion = "v4"): Uint8Array {
  const data = asJson(document, "the document");
  const domain = asJson(own(data, "domain"), "domain");
  const primaryType = own(data, "primaryType");
  if (typeof primaryType !== "string") throw new TypedDataError("primaryType is no string");
  const types = structTypes(withDomain(asJson(own(data, "types"), "types"), domain));
  if (!types.has(primaryType)) throw new TypedDataError("primaryType is not among the types");
  const hashStruct = encoder(types, version);
  const parts = [Uint8Array.of(0x19, 0x01), hashStruct(DOMAIN, domain, 0)];
  if (primaryType !== DOMAIN) parts.push(hashStruct(primaryType, asJson(own(data, "message"), "message"), 0));
  return keccak256(concatBytes(...parts));
}
