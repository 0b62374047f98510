/** Finding an `sdk` entry's adapter: built in, or a module by name or path. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BlockSource } from "../block-source.ts";
import { ReaderConfigError } from "../config/config-error.ts";
import type { SdkEntry } from "../config/entry.ts";
import type { EndpointPool } from "../endpoint-pool.ts";
import { CELESTIA } from "../families/comet.ts";
import { SUBSTRATE } from "../families/substrate.ts";
import { createFamilySource } from "../family-source.ts";
import { adapterEntry, type CreateSource, guardedSource } from "./adapter.ts";

const BUILTIN = { celestia: CELESTIA, avail: SUBSTRATE, substrate: SUBSTRATE };

/** Opens adapters; modules are looked up from `dir`. Throws ReaderConfigError naming the entry. */
export function createAdapterOpener(dir: string) {
  return async (entry: SdkEntry, pool: EndpointPool): Promise<BlockSource> => {
    if ("builtin" in entry.adapter) {
      const row = BUILTIN[entry.adapter.builtin];
      return createFamilySource({ row, pool, finality: entry.finality, hashCheck: true });
    }
    const createSource = await load(entry.adapter.module, dir, entry.name);
    return guardedSource(entry, await createSource(adapterEntry(entry)));
  };
}

async function load(module: string, dir: string, name: string): Promise<CreateSource> {
  const field = `entry "${name}": options.module`;
  const require = createRequire(join(dir, "reader.toml"));
  let path: string;
  try {
    path = require.resolve(module);
  } catch {
    throw new ReaderConfigError(
      field,
      `no module "${module}" from ${dir === "." ? "here" : "the configuration's place"}`,
    );
  }
  const loaded: { readonly createSource?: unknown } = await import(pathToFileURL(path).href);
  if (typeof loaded.createSource !== "function") {
    throw new ReaderConfigError(field, "the module exports no function createSource");
  }
  return loaded.createSource as CreateSource;
}
