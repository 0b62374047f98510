/** The options of an entry (its eighth element): one table for the parser's refusals and the reference page. */

/** Field 1 of an entry. */
export type EntryKind = "rpc" | "contract" | "sdk";

/** An option of entries, as the reference page lists it. */
export interface OptionRow {
  readonly name: string;
  readonly kinds: readonly EntryKind[];
  /** What is expected, in words. */
  readonly expected: string;
  /** The default, as it would be written. */
  readonly fallback: string;
  readonly says: string;
}

const ALL: readonly EntryKind[] = ["rpc", "contract", "sdk"];
const BLOCKS: readonly EntryKind[] = ["rpc", "sdk"];
const EVM_LIKE: readonly EntryKind[] = ["rpc", "contract"];

/** Every option. */
export const OPTIONS: readonly OptionRow[] = [
  {
    name: "finality",
    kinds: ALL,
    expected: "`instant`, `safe`, `finalized` or a number of blocks",
    fallback: "`instant`",
    says: "when a block may be taken; which tags a chain has depends on its family",
  },
  { name: "confirmations", kinds: ALL, expected: "0 to 100000", fallback: "–", says: "the same as a number of blocks" },
  {
    name: "start",
    kinds: ALL,
    expected: "`head` or a height",
    fallback: "`head`",
    says: "where an entry without cursor begins",
  },
  { name: "from_block", kinds: ["contract"], expected: "a height", fallback: "–", says: "the same as `start`" },
  {
    name: "poll_ms",
    kinds: ALL,
    expected: "50 to 3600000",
    fallback: "1000",
    says: "pause between cycles, when nothing is left to take",
  },
  {
    name: "request_pause_ms",
    kinds: ALL,
    expected: "0 to 60000",
    fallback: "100",
    says: "pause between requests that follow each other",
  },
  { name: "timeout_ms", kinds: ALL, expected: "100 to 120000", fallback: "10000", says: "longest wait for an answer" },
  {
    name: "max_bytes",
    kinds: ALL,
    expected: "1024 to 268435456",
    fallback: "4194304; contract 16777216",
    says: "largest answer read",
  },
  {
    name: "every",
    kinds: BLOCKS,
    expected: "1 to 1000000",
    fallback: "1",
    says: "submit each Nth block; all are followed",
  },
  {
    name: "endpoints",
    kinds: ALL,
    expected: "a list of URLs",
    fallback: "none",
    says: "further endpoints of the same chain: to compare with and to fail over to",
  },
  {
    name: "cross_check",
    kinds: ALL,
    expected: "`available`, `required` or `off`",
    fallback: "`available`",
    says: "with several endpoints: two must agree when another one answers, always, or never",
  },
  {
    name: "auth_header",
    kinds: ALL,
    expected: "a header's name",
    fallback: "`authorization`",
    says: "the header that carries the auth token, as it is",
  },
  {
    name: "network",
    kinds: ALL,
    expected: "a text",
    fallback: "as first seen",
    says: "the chain's own name, compared at start",
  },
  {
    name: "genesis",
    kinds: ALL,
    expected: "a hash, as the chain spells it",
    fallback: "as first seen",
    says: "the hash of the chain's first block, compared at start",
  },
  {
    name: "submit",
    kinds: ALL,
    expected: "a chain id: a decimal number, a CAIP-2 id or a name",
    fallback: "the entry's chain id",
    says: "the chain the submissions belong to",
  },
  {
    name: "family",
    kinds: ["rpc"],
    expected: "a family of the table",
    fallback: "by the method",
    says: "which family is meant where two share a method",
  },
  {
    name: "hash_check",
    kinds: EVM_LIKE,
    expected: "true or false",
    fallback: "true",
    says: "false for a chain whose hash does not follow its family's rule",
  },
  {
    name: "shape",
    kinds: ["rpc"],
    expected: "a table",
    fallback: "–",
    says: "how to read a method that is in no family",
  },
  {
    name: "abi",
    kinds: ["contract"],
    expected: "a JSON ABI: the event's item, or a list with it",
    fallback: "–",
    says: "the event named in field 5, where it is in no catalogue",
  },
  {
    name: "root",
    kinds: ["contract"],
    expected: "an argument's name",
    fallback: "the catalogue's, or the only bytes32",
    says: "which argument is submitted",
  },
  {
    name: "where",
    kinds: ["contract"],
    expected: "a table of argument = value, or argument = { not = value }",
    fallback: "–",
    says: "which logs are meant",
  },
  {
    name: "max_range",
    kinds: ["contract"],
    expected: "1 to 100000",
    fallback: "2000",
    says: "most blocks of one `eth_getLogs`; ranges shrink and grow back by themselves",
  },
  {
    name: "proof",
    kinds: EVM_LIKE,
    expected: "a table",
    fallback: "–",
    says: "where the proof itself is fetched, to be submitted beside the root",
  },
  {
    name: "adapter",
    kinds: ["sdk"],
    expected: "`celestia`, `avail` or `substrate`",
    fallback: "by method or name",
    says: "a built-in adapter",
  },
  {
    name: "module",
    kinds: ["sdk"],
    expected: "a module's name or path",
    fallback: "–",
    says: "a third party's adapter",
  },
  { name: "settings", kinds: ["sdk"], expected: "anything", fallback: "–", says: "handed to the adapter as it is" },
];

/** Names of the options of a kind. */
export function optionsOf(kind: EntryKind): readonly string[] {
  return OPTIONS.filter((row) => row.kinds.includes(kind)).map((row) => row.name);
}
