/** For the fuzz suite: whole messages, from well-formed calls of every method to bytes that are no text. */
import { methodTables } from "@cairn/api";
import fc from "fast-check";
import { id, parameters } from "./values.ts";

/** Takes until its time is over, by intent; covered by its own tests. */
const SLOW = new Set(["eth_sendRawTransactionSync"]);

const methods = Object.values(methodTables).flatMap((table) =>
  Object.entries(table)
    .filter(([name]) => !SLOW.has(name))
    .map(([name, entry]) => ({ name, count: entry.kind === "refused" ? 1 : entry.params.length })),
);

/** How many names the tables hold. */
export const METHOD_COUNT = methods.length;

const request = fc
  .constantFrom(...methods)
  .chain(({ name, count }) =>
    fc.record({ jsonrpc: fc.constant("2.0"), id, method: fc.constant(name), params: parameters(count) }),
  );

const malformed = fc.oneof(
  fc.jsonValue(),
  fc.record(
    { jsonrpc: fc.constantFrom("2.0", "1.0", 2), id, method: fc.jsonValue(), params: fc.jsonValue() },
    { requiredKeys: [] },
  ),
);

const member = fc.oneof({ weight: 9, arbitrary: request }, { weight: 1, arbitrary: malformed });
const batch = fc.array(member, { maxLength: 12 });
const batches = fc.array(fc.oneof(batch, member), { maxLength: 5 });

/** Of which a batch holds as many as the server takes, and more. */
const SMALL = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });

/** Text of a message. */
export const messageText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: member.map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: batch.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: batches.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.integer({ min: 900, max: 1_100 }).map((count) => `[${Array(count).fill(SMALL).join()}]`) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 100_000 }).map((depth) => "[".repeat(depth)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 2_000 }) },
  { weight: 1, arbitrary: fc.tuple(member, fc.nat()).map(([value, at]) => cut(JSON.stringify(value), at)) },
);

const cut = (text: string, at: number): string => text.slice(0, at % Math.max(1, text.length));

/** Bytes of a message: texts, and what is no UTF-8. */
export const messageBytes: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  { weight: 9, arbitrary: messageText.map((text) => new Uint8Array(Buffer.from(text))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => new Uint8Array(bytes)) },
);
