/** The files of a node's home that the engine works on, and making a new home. */
import { access } from "node:fs/promises";
import { type CometGenesis, type Genesis, loadGenesis, writeGenesis } from "./genesis.ts";
import { createNodeKey } from "./node-key.ts";
import { createPrivValidatorKey, type PrivValidator } from "./priv-validator.ts";

/** Absolute paths. */
export interface EngineHome {
  readonly genesisFile: string;
  readonly privValidatorKeyFile: string;
  readonly privValidatorStateFile: string;
  readonly nodeKeyFile: string;
  /** Directory of the block store. */
  readonly dataDir: string;
}

/** What a new home was given. */
export interface NewHome {
  readonly genesis: Genesis;
  readonly validator: PrivValidator;
  readonly nodeId: string;
}

/**
 * Writes keys, the private validator's state and genesis.json; files that exist are kept. The genesis may be made from
 * the validator's key. Throws ConsensusError `invalid-home` when a file that exists is not in its format.
 */
export async function initHome(o: {
  readonly home: EngineHome;
  readonly genesis: CometGenesis | ((validator: PrivValidator) => CometGenesis);
}): Promise<NewHome> {
  const validator = await createPrivValidatorKey(o.home);
  const { id } = await createNodeKey({ file: o.home.nodeKeyFile });
  const hasGenesis = await access(o.home.genesisFile).then(
    () => true,
    () => false,
  );
  const document = typeof o.genesis === "function" ? o.genesis(validator) : o.genesis;
  const genesis = hasGenesis
    ? await loadGenesis(o.home.genesisFile)
    : await writeGenesis({ file: o.home.genesisFile, genesis: document });
  return { genesis, validator, nodeId: id };
}
