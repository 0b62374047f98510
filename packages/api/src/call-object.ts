/** Owns the call object of `eth_call` and `eth_estimateGas` on the wire. What it defaults to is the handlers'. */
import type { AccessListEntry, Address, Authorization } from "@cairn/primitives";
import { arrayOf, asObject, type Codec, CodecError, member } from "./codec.ts";
import { address, data, hash, quantity, quantity64 } from "./codecs.ts";

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
  readonly accessList?: readonly AccessListEntry[];
  readonly chainId?: bigint;
  /** EIP-7702 authorizations; an empty list is one, and refused when the call runs. */
  readonly authorizationList?: readonly Authorization[];
}

const MAX_LIST = 10_000;

const accessListEntry: Codec<AccessListEntry> = {
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

function present<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new CodecError(`${name}: missing`);
  return value;
}

const authorization: Codec<Authorization> = {
  title: "authorization",
  schema: {
    type: "object",
    properties: {
      chainId: quantity.schema,
      address: address.schema,
      nonce: quantity64.schema,
      yParity: quantity.schema,
      r: quantity.schema,
      s: quantity.schema,
    },
  },
  decode(value) {
    const object = asObject(value);
    const yParity = present("yParity", member(object, "yParity", quantity) ?? member(object, "v", quantity));
    if (yParity > 255n) throw new CodecError("yParity: hex number > 8 bits");
    return {
      chainId: present("chainId", member(object, "chainId", quantity)),
      address: present("address", member(object, "address", address)),
      nonce: present("nonce", member(object, "nonce", quantity64)),
      yParity: Number(yParity),
      r: present("r", member(object, "r", quantity)),
      s: present("s", member(object, "s", quantity)),
    };
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
    authorizationList: member(object, "authorizationList", authorizationList),
  };
  const input = member(object, "input", data);
  const entries = Object.entries({ ...fields, data: input ?? fields.data }).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries);
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
  authorizationList: authorizationList.schema,
};

/** The call object; `input` wins over `data`, `gasLimit` is another spelling of `gas`. */
export const callObject: Codec<CallParam> = {
  title: "call object",
  schema: { type: "object", properties },
  decode: decodeCall,
};
