/** Where the checkout and the cache are. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

function userCache() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  return process.platform === "darwin" ? join(homedir(), "Library/Caches") : join(homedir(), ".cache");
}

/** Everything that is built or brought lives here, keyed by content, shared by all checkouts. */
export const CACHE = process.env.CAIRN_CACHE ?? join(userCache(), "cairn");
