/** node_key.json: the node's network identity. */
import { readFile } from "node:fs/promises";
import { consensusAddress } from "@cairn/comet";
import { makeParent, writeDurably } from "./durable-file.ts";
import { generateSigningKey, importSigningKey, type SigningKey } from "./ed25519-key.ts";
import { ConsensusError } from "./errors.ts";

/** Lower-case hex id of a node: its key's address. */
export function nodeId(key: SigningKey): string {
  return Buffer.from(consensusAddress(key.pubKey)).toString("hex");
}

/** Reads node_key.json. Throws ConsensusError `invalid-home`. */
export async function loadNodeKey(file: string): Promise<SigningKey> {
  try {
    return importSigningKey(JSON.parse(await readFile(file, "utf8")).priv_key);
  } catch (error) {
    throw new ConsensusError("invalid-home", "node_key.json is missing or not in CometBFT's format", { cause: error });
  }
}

/** Writes node_key.json (mode 0600) with a new key, or keeps the one that is there. Resolves with the node's id. */
export async function createNodeKey(o: { readonly file: string }): Promise<{ readonly id: string }> {
  const exists = await readFile(o.file).then(
    () => true,
    () => false,
  );
  if (exists) return { id: nodeId(await loadNodeKey(o.file)) };
  const key = generateSigningKey();
  await makeParent(o.file);
  await writeDurably(o.file, JSON.stringify({ priv_key: key.export() }), 0o600);
  return { id: nodeId(key) };
}
