/** A disk that is really full: a program whose home is a small file system of its own, filled and emptied again. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { atEnd, until } from "./fixture.ts";

const PROBE = ["-rm", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs "$0"', tmpdir()];

/** Why tests on a small disk are skipped; false: they run. No privilege is needed where user namespaces are allowed. */
export const withoutSmallDisk =
  process.platform === "linux" && spawnSync("unshare", PROBE).status === 0
    ? false
    : "mounting a file system of one's own is not allowed here";

/** Mounts, runs the program, and does what files appearing in the outer directory ask for; `start` runs it again. */
const SCRIPT = `
home=$1 out=$2 size=$3; shift 3
mount -t tmpfs -o "size=$size" tmpfs "$home" || exit 9
asked() { [ -e "$out/$1" ] && rm "$out/$1"; }
"$@" & program=$!
trap 'kill -9 $program 2>/dev/null' EXIT
while true; do
  if asked fill; then cat /dev/zero > "$home/filler" 2>/dev/null; touch "$out/fill-done"; fi
  if asked free; then rm -f "$home/filler"; touch "$out/free-done"; fi
  if asked start; then wait $program; echo $? > "$out/code"; "$@" & program=$!; touch "$out/start-done"; fi
  sleep 0.02
done`;

/** A program on a small disk. */
export interface SmallDisk {
  /** Its home: seen by the program only. */
  readonly home: string;
  /** A directory of the outer file system. */
  readonly out: string;
  readonly shell: ChildProcess;
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Waits for the program's end and runs it again. */
  start(): Promise<void>;
}

/** Runs `program(home, out)` until the test ends. */
export function onSmallDisk(
  t: TestContext,
  size: string,
  program: (home: string, out: string) => readonly string[],
): SmallDisk {
  const out = mkdtempSync(join(tmpdir(), "cairn-small-"));
  const home = join(out, "home");
  mkdirSync(home);
  const args = ["-rm", "sh", "-c", SCRIPT, "sh", home, out, size, ...program(home, out)];
  const shell = spawn("unshare", args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CAIRN_TEST_LOG: "1" },
    // A group of its own, so that the program ends with the shell around it.
    detached: true,
  });
  const gone = new Promise((resolve) => shell.once("close", resolve));
  atEnd(t, async () => {
    if (shell.exitCode === null && shell.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
    await gone;
    rmSync(out, { recursive: true, force: true });
  });
  const ask = async (what: string): Promise<void> => {
    rmSync(join(out, `${what}-done`), { force: true });
    writeFileSync(join(out, what), "");
    await until(what, async () => existsSync(join(out, `${what}-done`)));
  };
  return { home, out, shell, fill: () => ask("fill"), free: () => ask("free"), start: () => ask("start") };
}
