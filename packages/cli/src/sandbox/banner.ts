/** What `cairn sandbox` prints once everything answers. */
import type { Ready } from "./ready.ts";

/** What the banner tells beside the ready file. */
export interface BannerFacts {
  readonly version: string;
  readonly seconds: number;
  /** The Bitcoin network, and the address that pays anchors there; undefined: the embedded regtest. */
  readonly bitcoin: { readonly network: string; readonly address: string } | undefined;
  readonly fundedAddress: string;
  /** How the user calls the command: `./cairn` in a checkout. */
  readonly command: string;
  /** A ready-made request body, as the user can name it; undefined where there is none. */
  readonly exampleBody: string | undefined;
}

/** The text, for a terminal of 100 columns, without colours. */
export function renderBanner(ready: Ready, facts: BannerFacts): string {
  return [
    `Cairn sandbox ${facts.version} is ready (${facts.seconds.toFixed(1)} s). SANDBOX: test money, Bitcoin ${facts.bitcoin?.network ?? "regtest"}.`,
    "",
    `  JSON-RPC         ${ready.json_rpc_url}   ${ready.json_rpc_ws_url}   (chain id ${ready.evm_chain_id})`,
    `  consensus RPC    ${ready.consensus_rpc_url}`,
    `  proof service    ${ready.service_url}   (described at /docs)`,
    `  block reader     ${ready.reader_url}`,
    `  Bitcoin ${(facts.bitcoin?.network ?? "regtest").padEnd(8)} ${withoutCredentials(ready.bitcoin_rpc_url)}`,
    ...(facts.bitcoin === undefined
      ? []
      : [`  anchor wallet    ${facts.bitcoin.address}   (fund it: anchors cost coins there)`]),
    "",
    `  service token    ${ready.service_token}`,
    `  operator token   ${ready.operator_token}`,
    `  funded account   ${facts.fundedAddress}`,
    `  private key      ${ready.funded_private_key}   (publicly known: test money only)`,
    `  home             ${ready.home}`,
    "",
    ...example(ready, facts),
    "Ctrl-C stops it; its state stays in the home.",
    "",
  ].join("\n");
}

function example(ready: Ready, facts: BannerFacts): readonly string[] {
  if (facts.exampleBody === undefined) return [];
  return [
    "Submit a real Groth16 proof and watch it become final (about ten seconds):",
    "",
    `  curl -s ${ready.service_url}/v1/submit-proof -H 'Authorization: Bearer ${ready.service_token}' \\`,
    `    -H 'Content-Type: application/json' -d @${facts.exampleBody}`,
    `  ${facts.command} watch ID`,
    `  ${facts.command} receipt ID > receipt.json && ${facts.command} verify receipt.json`,
    "",
  ];
}

function withoutCredentials(url: string): string {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare.origin;
}
