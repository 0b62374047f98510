/** Owns the call object of `eth_call` and `eth_estimateGas` on the wire. What it defaults to is the handlers'. */
import type { Address, Hash } from "@cairn/primitives";
import { arrayOf, asObject, type Codec, CodecError, member } from "./codec.ts";
import { address, data, hash, quantity, quantity64 } from "./codecs.ts";

/** One entry of an access list. */
export interface AccessListParam {
  readonly address: Address;
  readonly storageKeys: readonly Hash[];
}

/** A decoded call object; amounts in wei. `null` members count as absent, unknown ones are ignored. */
export interface CallParam {
  readonly from?: Address;
  /** Absent: contract creation. */
  readonly to?: Address;
  readonly gas?: bigint;
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly value?: bigint;
  readonly nonce?: bigint;
  readonly data?: Uint8Array;
  readonly accessList?: readonly AccessListParam[];
  readonly chainId?: bigint;
  /** How many EIP-7702 authorizations came along. */
  readonly authorizations: number;
}

const MAX_LIST = 10_000;

const accessListEntry: Codec<AccessListParam> = {
  title: "access list entry",
  schema: {
    type: "object",
    properties: { address: address.schema, storageKeys: { type: "array", items: hash.schema } },
  },
  decode(value) {
    const object = asObject(value);
    const account = member(object, "address", address);
    if (account === undefined) throw new CodecError("address: missing");
    return { address: account, storageKeys: member(object, "storageKeys", arrayOf(hash, MAX_LIST)) ?? [] };
  },
};

const authorization: Codec<true> = {
  title: "authorization",
  schema: { type: "object" },
  decode(value) {
    asObject(value);
    return true;
  },
};

const accessList = arrayOf(accessListEntry, MAX_LIST);
const authorizationList = arrayOf(authorization, MAX_LIST);

function refuseBlobs(object: Readonly<Record<string, unknown>>): void {
  for (const name of ["blobVersionedHashes", "blobs", "maxFeePerBlobGas"]) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) throw new CodecError(`${name}: blob transactions are not supported`);
  }
}

function decodeCall(value: unknown): CallParam {
  const object = asObject(value);
  refuseBlobs(object);
  const fields = {
    from: member(object, "from", address),
    to: member(object, "to", address),
    gas: member(object, "gas", quantity64) ?? member(object, "gasLimit", quantity64),
    gasPrice: member(object, "gasPrice", quantity),
    maxFeePerGas: member(object, "maxFeePerGas", quantity),
    maxPriorityFeePerGas: member(object, "maxPriorityFeePerGas", quantity),
    value: member(object, "value", quantity),
    nonce: member(object, "nonce", quantity64),
    data: member(object, "data", data),
    accessList: member(object, "accessList", accessList),
    chainId: member(object, "chainId", quantity),
  };
  const input = member(object, "input", data);
  const entries = Object.entries({ ...fields, data: input ?? fields.data }).filter(([, field]) => field !== undefined);
  const authorizations = member(object, "authorizationList", authorizationList)?.length ?? 0;
  return { ...Object.fromEntries(entries), authorizations };
}

const properties = {
  from: address.schema,
  to: address.schema,
  gas: quantity64.schema,
  gasPrice: quantity.schema,
  maxFeePerGas: quantity.schema,
  maxPriorityFeePerGas: quantity.schema,
  value: quantity.schema,
  nonce: quantity64.schema,
  input: data.schema,
  data: data.schema,
  accessList: accessList.schema,
  chainId: quantity.schema,
};

/** The call object; `input` wins over `data`, `gasLimit` is another spelling of `gas`. */
export const callObject: Codec<CallParam> = {
  title: "call object",
  schema: { type: "object", properties },
  decode: decodeCall,
};

/** State or block overrides: accepted when absent or empty, and refused with a clear text otherwise. */
export const noOverrides: Codec<undefined> = {
  title: "overrides (empty only)",
  schema: { type: "object", maxProperties: 0 },
  decode(value) {
    if (Object.keys(asObject(value)).length > 0) throw new CodecError("overrides are not supported yet");
    return undefined;
  },
};
