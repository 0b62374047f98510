/** Finding an `sdk` entry's adapter: built in, or a module by name or path. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BlockSource } from "../block-source.ts";
import { ReaderConfigError } from "../config/config-error.ts";
import type { SdkEntry } from "../config/entry.ts";
import type { EndpointPool } from "../endpoint-pool.ts";
import { quoted, secretsOf } from "../endpoint-secrets.ts";
import { CELESTIA } from "../families/comet.ts";
import { SUBSTRATE } from "../families/substrate.ts";
import { createFamilySource } from "../family-source.ts";
import { type AdapterSource, adapterEntry, type CreateSource, guardedSource } from "./adapter.ts";

const BUILTIN = { celestia: CELESTIA, avail: SUBSTRATE, substrate: SUBSTRATE };

/** Opens adapters; modules are looked up from `dir`. Throws ReaderConfigError naming the entry. */
export function createAdapterOpener(dir: string) {
  return async (entry: SdkEntry, pool: EndpointPool): Promise<BlockSource> => {
    if ("builtin" in entry.adapter) {
      const row = BUILTIN[entry.adapter.builtin];
      return createFamilySource({ row, pool, finality: entry.finality, hashCheck: true });
    }
    const field = `entry "${entry.name}": options.module`;
    const createSource = await load(entry.adapter.module, dir, field);
    return guardedSource(entry, await created(createSource, entry, field));
  };
}

/** What `createSource` gives, within the entry's time. */
async function created(createSource: CreateSource, entry: SdkEntry, field: string): Promise<AdapterSource> {
  const late = AbortSignal.timeout(entry.timeoutMs);
  const silence = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(new Error(`no answer within ${entry.timeoutMs} ms`)), { once: true });
  });
  // Nobody may be waiting any more when the time is over.
  silence.catch(() => {});
  let source: AdapterSource;
  try {
    source = await Promise.race([createSource(adapterEntry(entry)), silence]);
  } catch (error) {
    throw new ReaderConfigError(field, `createSource failed (${reasonOf(error, entry)})`);
  }
  if (typeof source?.head === "function" && typeof source.block === "function") return source;
  throw new ReaderConfigError(field, "createSource gave no source: functions head and block are needed");
}

/** A stranger's reason without what it was given as secret. */
function reasonOf(error: unknown, { auth, endpoints }: SdkEntry): string {
  const secrets = endpoints.flatMap((url) => secretsOf({ url, auth }));
  return error instanceof Error ? `${error.name}: ${quoted(error.message, secrets)}` : "no reason given";
}

async function load(module: string, dir: string, field: string): Promise<CreateSource> {
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
  const loaded = await imported(path, field);
  if (typeof loaded.createSource !== "function") {
    throw new ReaderConfigError(field, "the module exports no function createSource");
  }
  return loaded.createSource as CreateSource;
}

async function imported(path: string, field: string): Promise<{ readonly createSource?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const reason = error instanceof Error ? error.name : "no reason given";
    throw new ReaderConfigError(field, `the module cannot be loaded (${reason}); try it with node`);
  }
}
