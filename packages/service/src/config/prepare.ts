/**
 * From a configuration to everything a start needs, with every fault at once: settings that do not fit together, key
 * files that do not open. Owns no rule of an environment.
 */
import { resolve } from "node:path";
import { configFaults } from "@cairn/api";
import { type KnownOptions, type Refusal, refusal } from "../environment/production-rules.ts";
import { openServiceKey, ServiceKeyError } from "../keys/key-file.ts";
import type { ServiceOptions } from "../options.ts";
import { knownOptions, type ServiceFacts } from "./service-options.ts";

/** A service about to start. */
export interface PreparedService {
  /** As far as they could be had. */
  readonly known: KnownOptions;
  /** Undefined where there are faults. */
  readonly options: ServiceOptions | undefined;
  readonly faults: readonly Refusal<string>[];
}

/** Reads what the configuration names. `passphrase` is asked once for each key file that is there. */
export async function prepareService(
  o: ServiceFacts & { readonly passphrase: () => Promise<string> },
): Promise<PreparedService> {
  const { config, home, passphrase } = o;
  const settings = configFaults();
  const options = knownOptions(o, settings);
  const faults: Refusal<string>[] = settings.found.map(({ code, source, message }) => ({
    ...{ code, setting: source, message },
  }));
  const open = async (setting: "settler.key-file" | "anchor.key-file"): Promise<Uint8Array | undefined> => {
    try {
      return await openServiceKey(resolve(home, config[setting]), passphrase);
    } catch (error) {
      if (!(error instanceof ServiceKeyError)) throw error;
      faults.push(keyFault(error, setting));
      return undefined;
    }
  };
  const settlerKey = await open("settler.key-file");
  const anchorKey = config["anchor.signer"] === "key-file" ? await open("anchor.key-file") : undefined;
  const { bitcoin } = options;
  const known: KnownOptions = {
    ...options,
    ...(settlerKey === undefined ? {} : { settlerKey }),
    ...(anchorKey === undefined ? {} : { anchorKey }),
  };
  const isWhole = faults.length === 0 && settlerKey !== undefined && bitcoin !== undefined;
  return { known, options: isWhole ? { ...known, settlerKey, bitcoin } : undefined, faults: once(faults) };
}

function keyFault({ code, message }: ServiceKeyError, setting: string): Refusal<string> {
  if (code === "no-passphrase") return refusal(code, "keys.passphrase-file", `gives none: ${message}`);
  return refusal(code, setting, `is of no use: ${message}`);
}

/** A passphrase that is missing is missed once. */
function once(faults: readonly Refusal<string>[]): readonly Refusal<string>[] {
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
