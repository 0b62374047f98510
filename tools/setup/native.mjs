/** The native addon: a prebuilt one when the package ships it, else a release build, cached by the hash of its sources. */
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { CACHE, ROOT } from "./places.mjs";
import { atLeast, execute, Failure, hashTree, probe, scratch, step } from "./step.mjs";

const MINIMUM_RUST = "1.95";
const SOURCES = join(ROOT, "native");
/** Build outputs of all checkouts; dependencies compile once per machine. */
export const CARGO_TARGET = join(CACHE, "cargo");

/** Absolute path of the addon for this platform and these sources. */
export function ensureAddon() {
  const prebuilt = join(ROOT, "packages/native/prebuilt", `${process.platform}-${process.arch}.node`);
  if (existsSync(prebuilt)) return prebuilt;
  const hash = hashTree(SOURCES, (path) => /\.(rs|toml|lock)$/.test(path) && !path.includes("/target/"));
  const addon = join(CACHE, "native", hash.slice(0, 32), `cairn-${process.platform}-${process.arch}.node`);
  if (existsSync(addon)) return addon;
  requireRust();
  step("building the native core (a few minutes the first time)", () => build(addon));
  return addon;
}

function requireRust() {
  const version = probe("cargo", ["--version"])?.split(" ")[1];
  const hint = `install Rust ${MINIMUM_RUST} or newer (https://rustup.rs) and a C compiler, then run this again`;
  if (version === undefined) throw new Failure(`the native core has to be built here and Rust is missing: ${hint}`);
  if (!atLeast(version, MINIMUM_RUST)) throw new Failure(`Rust ${version} is too old: ${hint}`);
}

function build(addon) {
  const env = { ...process.env, CARGO_TARGET_DIR: CARGO_TARGET };
  execute("cargo", ["build", "--release", "--locked", "-p", "cairn-napi"], { cwd: SOURCES, env });
  const library = process.platform === "darwin" ? "libcairn_napi.dylib" : "libcairn_napi.so";
  const temporary = join(scratch("native"), "cairn.node");
  copyFileSync(join(CARGO_TARGET, "release", library), temporary);
  mkdirSync(dirname(addon), { recursive: true });
  renameSync(temporary, addon);
}
