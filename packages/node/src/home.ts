/** Owns where things stand in a node's home directory; not what they hold. */
import { join } from "node:path";

/** Paths of one home. */
export interface NodeHome {
  readonly dir: string;
  readonly appToml: string;
  readonly genesisFile: string;
  readonly nodeKeyFile: string;
  readonly privValidatorKeyFile: string;
  readonly privValidatorStateFile: string;
  /** 32-byte hex secret of the HS256 tokens that private namespaces take. */
  readonly jwtFile: string;
  readonly operatorTokenFile: string;
  /** Key of the validator's operator; only where the operator is a publicly known account of a sandbox. */
  readonly operatorKeyFile: string;
  /** Key files of the node's accounts. */
  readonly keystoreDir: string;
  /** The consensus engine's data. */
  readonly consensusDir: string;
  /** The Ethereum side's database. */
  readonly stateDir: string;
  /** What carries the transaction pool over a restart. */
  readonly poolJournalFile: string;
  /** Files that `debug` methods read and write: traces, profiles. */
  readonly debugDir: string;
}

/** The layout below `dir`. */
export function nodeHome(dir: string): NodeHome {
  return {
    dir,
    appToml: join(dir, "config/app.toml"),
    genesisFile: join(dir, "config/genesis.json"),
    nodeKeyFile: join(dir, "config/node_key.json"),
    privValidatorKeyFile: join(dir, "config/priv_validator_key.json"),
    privValidatorStateFile: join(dir, "data/priv_validator_state.json"),
    jwtFile: join(dir, "config/jwt.hex"),
    operatorTokenFile: join(dir, "config/operator.token"),
    operatorKeyFile: join(dir, "config/operator.key"),
    keystoreDir: join(dir, "keystore"),
    consensusDir: join(dir, "data/consensus"),
    stateDir: join(dir, "data/state"),
    poolJournalFile: join(dir, "data/txpool.journal"),
    debugDir: join(dir, "debug"),
  };
}
