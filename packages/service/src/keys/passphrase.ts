/** Where the passphrase of the key files comes from: a file, an open descriptor, the environment; never an argument. */
import { fstatSync, readFileSync } from "node:fs";
import { ServiceKeyError } from "./key-file.ts";

/** The variable that holds it when no file is named. */
export const PASSPHRASE_VARIABLE = "CAIRN_PASSPHRASE";

const MAX_BYTES = 65_536;

/**
 * The first line of `source` (a path, or `fd:N`), else the variable, else what `ask` gives. Throws `no-passphrase`.
 * A descriptor is read once.
 */
export async function servicePassphrase(o: {
  readonly source: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ask?: () => Promise<string>;
}): Promise<string> {
  if (o.source !== "") return firstLine(read(o.source));
  const fromEnvironment = o.env[PASSPHRASE_VARIABLE];
  if (fromEnvironment !== undefined) return fromEnvironment;
  if (o.ask !== undefined) return o.ask();
  throw new ServiceKeyError(
    "no-passphrase",
    `no passphrase for the key files: name keys.passphrase-file, or set ${PASSPHRASE_VARIABLE}`,
  );
}

function read(source: string): string {
  const [, descriptor] = /^fd:(\d{1,4})$/.exec(source) ?? [];
  try {
    if (descriptor === undefined) return readFileSync(source, "utf8").slice(0, MAX_BYTES);
    fstatSync(Number(descriptor));
    return readFileSync(Number(descriptor), "utf8").slice(0, MAX_BYTES);
  } catch {
    throw new ServiceKeyError("no-passphrase", `the passphrase cannot be read from ${source}`);
  }
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}
