/** Owns writing the minimum gas price into a home's app.toml while the node runs (`miner_setGasPrice`). */
import { readFile } from "node:fs/promises";
import type { Log } from "@cairn/chain";
import { withTopLevelSetting } from "./config/edit.ts";
import type { ConfigKey } from "./config/schema.ts";
import { writeDurableFile } from "./durable-file.ts";

const KEY = "minimum-gas-prices";

/** Writes prices in wei one after the other; each file is whole at any time, and the next start takes the last. */
export function createMinGasPriceWriter(
  appToml: string,
  { pinned, log }: { readonly pinned: ReadonlySet<ConfigKey> | undefined; readonly log: Log },
): (wei: bigint) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const write = async (wei: bigint): Promise<void> => {
    const text = await readFile(appToml, "utf8");
    await writeDurableFile(appToml, withTopLevelSetting(text, KEY, wei), 0o644);
    if (pinned?.has(KEY)) {
      log.warn({ wei: String(wei) }, `${KEY} was written to app.toml; the flag or variable that sets it wins over it`);
    } else {
      log.info({ wei: String(wei) }, `${KEY} was written to app.toml; it holds from the next start on`);
    }
  };
  return (wei) => {
    last = last.catch(() => undefined).then(() => write(wei));
    return last;
  };
}
