/** Owns reading what a node needs of its home before it starts: genesis and secrets. */
import { access, readFile } from "node:fs/promises";
import { type EthGenesis, GenesisError, validateGenesis } from "@cairn/chain";
import { hexToBytes, isHex } from "@cairn/primitives";
import { type NodeHome, nodeHome } from "./home.ts";
import { NodeError } from "./node-error.ts";

/** A home ready to start from. */
export interface ReadHome {
  readonly home: NodeHome;
  readonly genesis: EthGenesis;
  readonly operatorToken: string;
  /** 32 bytes. */
  readonly jwtSecret: Uint8Array;
  /** 32 bytes; where the home holds config/operator.key. */
  readonly operatorKey?: Uint8Array;
}

/** Reads a home. Throws `NodeError` `home-missing` or `invalid-home`. */
export async function readHome(dir: string): Promise<ReadHome> {
  const home = nodeHome(dir);
  const genesis = await readGenesis(home);
  const operatorToken = (await readSecret(home.operatorTokenFile, "config/operator.token")).trim();
  if (operatorToken.length < 16) throw new NodeError("invalid-home", "config/operator.token is too short to be safe");
  const jwt = (await readSecret(home.jwtFile, "config/jwt.hex")).trim().replace(/^0x/, "");
  if (!isHex(`0x${jwt}`, 32)) throw new NodeError("invalid-home", "config/jwt.hex must hold 32 bytes in hex");
  const operatorKey = await readOperatorKey(home);
  const secrets = { operatorToken, jwtSecret: hexToBytes(`0x${jwt}`) };
  return { home, genesis, ...secrets, ...(operatorKey === undefined ? {} : { operatorKey }) };
}

async function readOperatorKey(home: NodeHome): Promise<Uint8Array | undefined> {
  const isThere = await access(home.operatorKeyFile).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const text = (await readSecret(home.operatorKeyFile, "config/operator.key")).trim();
  if (!isHex(text, 32)) throw new NodeError("invalid-home", "config/operator.key must hold 32 bytes in hex");
  return hexToBytes(text);
}

async function readGenesis(home: NodeHome): Promise<EthGenesis> {
  let text: string;
  try {
    text = await readFile(home.genesisFile, "utf8");
  } catch (error) {
    throw new NodeError("home-missing", "the home directory holds no chain (config/genesis.json)", { cause: error });
  }
  try {
    const document: { readonly app_state?: unknown } = JSON.parse(text);
    return validateGenesis(document.app_state);
  } catch (error) {
    const detail = error instanceof GenesisError ? error.message : "is no JSON";
    throw new NodeError("invalid-home", `config/genesis.json: ${detail}`, { cause: error });
  }
}

async function readSecret(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new NodeError("invalid-home", `${name} is missing or cannot be read`, { cause: error });
  }
}
