/** For the fuzz suite: values for parameters, from fitting to hostile. None holds text that a leak would be taken for. */
import { SANDBOX_ACCOUNTS } from "@cairn/chain";
import fc from "fast-check";

const hexOf = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => `0x${Buffer.from(all).toString("hex")}`);

const address = fc.oneof(fc.constantFrom(...SANDBOX_ACCOUNTS, `0x${"00".repeat(20)}`), hexOf(20));
const quantity = fc.oneof(
  fc.nat({ max: 40 }).map((value) => `0x${value.toString(16)}`),
  fc.bigInt({ min: 0n, max: (1n << 260n) - 1n }).map((value) => `0x${value.toString(16)}`),
  fc.constantFrom("0x", "0x00", "0x01", "-0x1", "0xg", "1", `0x${"f".repeat(64)}`, `0x1${"0".repeat(64)}`),
);
const data = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
  fc.constantFrom("0x", "0x0", "0xzz", `0x${"00".repeat(60_000)}`),
);
const block = fc.oneof(
  fc.constantFrom("latest", "earliest", "pending", "safe", "finalized", "LATEST", ""),
  quantity,
  hexOf(32),
  fc.record({ blockNumber: quantity }, { requiredKeys: [] }),
  fc.record({ blockHash: hexOf(32), requireCanonical: fc.boolean() }, { requiredKeys: [] }),
);
const call = fc.record(
  {
    from: address,
    to: fc.oneof(address, fc.constant(null)),
    gas: quantity,
    gasPrice: quantity,
    maxFeePerGas: quantity,
    maxPriorityFeePerGas: quantity,
    value: quantity,
    nonce: quantity,
    data,
    input: data,
    accessList: fc.array(fc.record({ address, storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }), { maxLength: 3 }),
    authorizationList: fc.array(fc.dictionary(fc.string({ maxLength: 8 }), quantity), { maxLength: 2 }),
    unknown: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const filter = fc.record(
  {
    fromBlock: block,
    toBlock: block,
    blockHash: hexOf(32),
    address: fc.oneof(address, fc.array(address, { maxLength: 4 })),
    topics: fc.array(fc.oneof(hexOf(32), fc.constant(null), fc.array(hexOf(32), { maxLength: 3 })), { maxLength: 6 }),
  },
  { requiredKeys: [] },
);

/** A JSON text nested deeper than anything sensible. */
const nested = fc
  .tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom<["[", "]"] | ['{"a":', "}"]>(["[", "]"], ['{"a":', "}"]))
  .map(([depth, [open, close]]): unknown => JSON.parse(`${open.repeat(depth)}0${close.repeat(depth)}`));

const hostile = fc.oneof(
  fc.jsonValue(),
  nested,
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0.5,
    1e300,
    -0,
    Number.MAX_SAFE_INTEGER,
    "\ud800",
    "\u0000",
    "x".repeat(100_000),
  ),
  fc.array(fc.constantFrom<unknown>(0, null, "0x1", {}), { maxLength: 2_000 }),
  fc.dictionary(fc.constantFrom("__proto__", "constructor", "toString", "from", "to", "tracer", "x"), fc.jsonValue()),
  fc.string({ unit: "binary", maxLength: 200 }),
);

/** One parameter: mostly of a kind that some method takes, often of none. */
export const parameter: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: address },
  { weight: 3, arbitrary: quantity },
  { weight: 3, arbitrary: block },
  { weight: 2, arbitrary: data },
  { weight: 2, arbitrary: hexOf(32) },
  { weight: 3, arbitrary: call },
  { weight: 2, arbitrary: filter },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 3, arbitrary: hostile },
);

/** `params` of a request: an array of the right length, of another, or no array. */
export function parameters(count: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.array(parameter, { minLength: count, maxLength: count }) },
    { weight: 2, arbitrary: fc.array(parameter, { maxLength: count + 3 }) },
    { weight: 1, arbitrary: hostile },
  );
}

/** An id of any JSON type, valid or not. */
export const id: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 20 }),
  fc.constantFrom<unknown>(null, true, 0.25, 1e21, [], {}, "x".repeat(1_000)),
);
