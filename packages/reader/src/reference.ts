/** `docs/reference/reader.md`, from the tables the reader runs on. */
import { READER_LIMITS } from "./call-limits.ts";
import { OPTIONS, type OptionRow } from "./config/options.ts";
import { CATALOGUE, type CatalogueRow } from "./events/catalogue.ts";
import type { CallRow, FamilyRow, ValueRow } from "./families/family.ts";
import { FAMILIES } from "./families/table.ts";
import { MAX_EVIDENCE_BYTES } from "./foreign-block.ts";
import { MAX_OPEN_LETTERS } from "./state/dead-letters.ts";
import { MAX_WAITING } from "./state/pushes.ts";
import { RING_LENGTH } from "./state/ring.ts";

/** The page as Markdown. */
export function renderReaderReference(): string {
  const sections = [intro(), entries(), families(), shape(), events(), proof(), adapters(), options(), files(), rest()];
  return `${sections.join("\n\n")}\n`;
}

function intro(): string {
  return `# The block reader

\`npm run generate\` writes this page from the tables of \`packages/reader\`. The guide
[registering a chain](../guides/registering-a-chain.md) walks through it.

The configuration is TOML or JSON: \`service_url\` and \`service_token\` (where submissions go), \`address\` (REST,
default \`127.0.0.1:8080\`; another than loopback needs \`token\`), \`metrics_address\` (health and metrics in modes LOOP and
TEST), \`block_numbers_dir\` and \`block_fetch_params\`, the list of entries. A field that cannot be used is named with its
entry and its line. The list is read again when the file changes and on SIGHUP, and entries that had stopped begin again; a
file that cannot be used changes nothing. One reader uses a state directory, and a directory of cursors, at a time.`;
}

function entries(): string {
  return `## Entries

An entry has seven fields in this order, and options as an eighth: kind, chain name (\`[a-z0-9-]\`, names the cursor
files), id of the chain behind the URL, URL, method or event, contract address, auth token (\`""\` or absent: none),
options. The token is sent as \`Authorization: Bearer <token>\`, as it is when it contains a scheme (\`Basic …\`), or in the
header that option \`auth_header\` names. It is never logged; it goes to no other host.

\`\`\`json
["rpc", "mint", 185, "https://rpc.example", "eth_getBlockByNumber", "", null]
["contract", "linea", 1, "https://l1.example", "L2MerkleRootAdded", "0xd19d…876f", "token", {"submit": "59144"}]
["sdk", "celestia", 131415, "http://127.0.0.1:26658", "header.GetByHeight", "", "jwt"]
\`\`\`

\`rpc\` entries submit block hashes, \`contract\` entries the roots in a contract's events, \`sdk\` entries what an adapter
gives. The fetched header (and log) goes along as evidence, up to ${MAX_EVIDENCE_BYTES / 1024} KiB.`;
}

function families(): string {
  const rows = FAMILIES.map(familyRow).join("\n");
  return `## Families of \`rpc\` entries

The method (field 5) selects the family. Pointers are into the answer; \`{via}\` is the result of the call before the
arrow. An answer \`null\` at or below the head is a node that lags: another one is asked.

| family | methods | head | block by number | hash / number / parent | finality tags |
| --- | --- | --- | --- | --- | --- |
${rows}

${FAMILIES.filter(isFirst)
  .map((row) => `- ${row.title}: the hash is ${row.hashRule}.`)
  .join("\n")}

A chain that speaks one of these calls under another method name is read
with \`shape\`.`;
}

function isFirst(row: FamilyRow, index: number, all: readonly FamilyRow[]): boolean {
  return all.findIndex(({ name }) => name === row.name) === index;
}

function familyRow(row: FamilyRow): string {
  const methods = row.methods.map(code).join(", ");
  const places = [row.hash, row.number ?? "–", row.parent ?? "–"].map((at) => (at === "–" ? at : code(at))).join(" / ");
  const tags = Object.keys(row.tags).map(code).join(", ") || "–";
  return `| ${row.name} | ${methods} | ${valueText(row.head)} | ${callText(row.block)} | ${places} | ${tags} |`;
}

function valueText(row: ValueRow): string {
  return row.at === "" ? callText(row) : `${callText(row)} ${code(row.at)}`;
}

function callText(row: CallRow): string {
  const own = code(
    `${row.method} ${row.transport === "get" || row.transport === "grpc" ? "" : JSON.stringify(row.params ?? [])}`.trim(),
  );
  const call = row.transport === "rpc" ? own : `${row.transport.toUpperCase()} ${own}`;
  return row.via === undefined ? call : `${code(`${row.via.method} ${JSON.stringify(row.via.params)}`)} → ${call}`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

function shape(): string {
  return `### Any other method: \`shape\`

\`{ params, hash, number, parent, encoding, head }\`: \`hash\`, \`number\`, \`parent\` are JSON pointers into the answer,
\`encoding\` is \`hex\`, \`base58\`, \`base64\` or \`felt\`. \`params\` holds \`{number}\`, \`{decimal}\` or \`{hex}\` where the height goes,
and \`head = { method, params, number }\` tells the newest one. Without such a word the method gives the newest block only,
and blocks between two polls are missed.

\`\`\`json
["rpc", "kaanch", 161718, "https://rpc.example", "kaanch_latestblocks", "", null,
 {"shape": {"params": [1], "hash": "/0/blockHash", "number": "/0/blockNumber"}}]
\`\`\``;
}

function events(): string {
  return `## Events of \`contract\` entries

Field 5 is a name of this catalogue, a full signature with \`indexed\` and names, or a name with option \`abi\`. A log is
decoded strictly: topics, lengths and paddings exactly as the event's. A log of the same first topic and another shape
becomes a dead letter. All logs of a window are taken, in order.

| system | event | root | remarks |
| --- | --- | --- | --- |
${CATALOGUE.map(eventRow).join("\n")}

The root may be of type \`bytes1\` … \`bytes32\`, an integer (submitted as 32 bytes) or \`bytes\` up to 64 that are not
indexed. \`where\` filters by value: \`{ rollupID = 1 }\`, \`{ stateRoot = { not = 0 } }\`.`;
}

function eventRow({ system, signature, root, except, note }: CatalogueRow): string {
  const skipped = except === undefined ? [] : [`logs with \`${except.argument}\` zero are passed over`];
  const remarks = [...skipped, ...(note === undefined ? [] : [note])].join("; ");
  return `| ${system} | \`${signature}\` | \`${root}\` | ${remarks} |`;
}

function proof(): string {
  return `## The proof itself: option \`proof\`

\`{ from, path, system, encoding, curve, vk, public_inputs }\` fetches the proof and submits it beside the root.

| \`from\` | \`path\` |
| --- | --- |
| \`arg\` | an argument of the event |
| \`calldata\` | the call that emitted it and the way to the argument: \`prove(bytes32 root, bytes proof).proof\`; members of tuples and places in lists follow after further dots |
| \`url\` | \`https://host/{argument}#/json/pointer\`: the host is fixed; \`{height}\`, \`{hash}\` and arguments are filled in. No token goes along. The only one for \`rpc\` entries |

With \`system\` the proof is submitted as an envelope (\`encoding\` default \`hex\`; \`vk\`: a key's hash, or the key;
\`public_inputs\`: arguments in order), without it as the bare artifact.`;
}

function adapters(): string {
  return `## Adapters of \`sdk\` entries

Built in: \`celestia\`, \`avail\`, \`substrate\`, chosen by method, by chain name or by option \`adapter\`. Option \`module\`
names a third party's: a module (looked up from the configuration's place) that exports \`createSource(entry)\`. It returns
\`head(signal)\`, \`block(height, signal)\` → \`{ height, hash, parentHash?, parentHeight?, nativeHash?, evidence? }\` (\`null\`:
not yet there; \`undefined\`: skipped by the chain), and if it likes \`finalized(signal)\` and
\`identity(signal)\` → \`{ chainId?, network?, genesis? }\`. \`entry\` has name, chainId, endpoints, method, auth, timeoutMs and
settings. What it returns is checked as an endpoint's answer is.`;
}

function options(): string {
  return `## Options

| option | kinds | expected | default | |
| --- | --- | --- | --- | --- |
${OPTIONS.map(optionRow).join("\n")}`;
}

function optionRow({ name, kinds, expected, fallback, says }: OptionRow): string {
  const which = kinds.length === 3 ? "all" : kinds.join(", ");
  return `| \`${name}\` | ${which} | ${expected} | ${fallback} | ${says} |`;
}

function files(): string {
  return `## Files and guarantees

- \`block_numbers/<chain>-block.txt\` (decimal), for contract entries \`<chain>-merkle-block.txt\` and
  \`<chain>-merkle-hash.txt\` (the last root). Written atomically, and only after the submission was acknowledged. A damaged
  file stops its entry, not the others.
- \`reader.db\` in the state directory: the last ${RING_LENGTH} blocks taken per entry and what was submitted for them,
  pushes, dead letters, progress of backfills. A block is taken only if its parent link fits; a mismatch walks back to the
  fork and submits the replaced heights again, with \`reorg_of\`. A fork deeper than that stops the entry.
- At start the chain id, and where the chain tells them its name and first block, are compared with the entry and with
  what was seen before. Another chain stops the entry.
- Errors are retried after 1 s, doubling to 60 s, with jitter; other entries go on. A lagging node is no error. What
  cannot be decoded three times, or is refused for good, becomes a dead letter: \`cairn reader audit\` shows, replays and
  discards them. A proof that is none takes nothing from the root beside it. ${MAX_OPEN_LETTERS} open ones stop the entry.
- With several endpoints two must agree on a block or on a range of logs, and the height that two have reached is the
  newest one. What one says alone is taken only while the others are down; "no such block yet" contradicts it. Who
  contradicts two others, or serves another chain, is logged, counted and not believed.
- While the service refuses (401, 402, 403, 429, 5xx) the entry waits, at least as long as \`Retry-After\` says (up to 15
  minutes), and \`last_error\` says why.
- At most ${READER_LIMITS.perHost} calls are under way to one host and ${READER_LIMITS.total} altogether; hosts take turns.
- Answers are bounded in bytes (while they arrive), depth and time; redirects are followed only within the same host.`;
}

function rest(): string {
  return `## REST

| | |
| --- | --- |
| \`POST /add-block-by-number/<n>\` | \`n\` decimal or 0x-hex; \`?chain=<name or id>\` (without: the first \`rpc\` or \`sdk\` entry; \`contract:<name>\` where a name is used twice), \`?strict=true\`. 202 \`{id, chain, kind, chain_id, block_number, status, status_url, submission_id, error}\`, 200 when known, 404 \`unknown-chain\`, \`above-head\` (strict), 422 \`malformed-block-number\`, 502 \`chain-unavailable\` (strict), 503 \`queue-full\` (${MAX_WAITING} waiting for the entry); \`Retry-After\` where trying again helps |
| \`GET /blocks/{id}\` | the same object; \`status\`: \`queued\`, \`waiting_for_head\`, \`submitted\`, \`empty\` (no event in the block), \`dead\`, \`expired\` (an hour above the head); \`error\`: why not yet |
| \`GET /status\` | per entry: cursor, head, takeable, lag, submitted, errors, reorgs, dead letters, endpoints that contradict, last success, last error and when it was, why stopped |
| \`GET /healthz\` | 503 when an entry has stopped |
| \`GET /metrics\` | Prometheus, per entry |

With \`token\` all but health and metrics need \`Authorization: Bearer <token>\`. Errors are RFC 9457 problems.`;
}
