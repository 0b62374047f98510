/** A disk that is really full: the reader's home is a small file system of its own, filled and emptied again. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../tools/stages.ts";
import { until } from "../e2e/until.ts";
import { startAnvil, withoutAnvil } from "./anvil.ts";
import { startDoor } from "./door.ts";
import { QUICK } from "./scene.ts";

const MOUNT = ["-rm", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs "$0"', tmpdir()];
const allowed = process.platform === "linux" && spawnSync("unshare", MOUNT).status === 0;
const skip = withoutAnvil || (allowed ? false : "mounting a file system of one's own is not allowed here");

/** Mounts, starts the reader, and does what files appearing in the outer directory ask for. */
const SCRIPT = `
home=$1 out=$2; shift 2
mount -t tmpfs -o size=16m tmpfs "$home" || exit 9
"$@" & reader=$!
trap 'kill -9 $reader 2>/dev/null' EXIT
await() { while [ ! -e "$out/$1" ]; do kill -0 $reader || exit 8; sleep 0.05; done; }
await fill; cat /dev/zero > "$home/filler" 2>/dev/null; touch "$out/filled"
await free; rm "$home/filler"; touch "$out/freed"
await stop; cp "$home/block_numbers/dev-block.txt" "$out/cursor"; kill $reader; wait $reader`;

test("a full disk: the reader waits, says so, and goes on when there is room; nothing is lost or doubled", {
  skip,
}, async (t) => {
  const anvil = await startAnvil();
  const door = await startDoor();
  const out = mkdtempSync(join(tmpdir(), "cairn-full-"));
  const home = join(out, "home");
  mkdirSync(home);
  const entry = ["rpc", "dev", 31_337, anvil.url, "eth_getBlockByNumber", "", null, { ...QUICK, start: 1 }];
  const config = { service_url: door.url, service_token: "t", block_fetch_params: [entry] };
  writeFileSync(join(out, "reader.json"), JSON.stringify(config));
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
  const reader = [process.execPath, ...flags, join(ROOT, "packages/cli/src/main.ts"), "reader", "--mode", "LOOP"];
  const files = ["--home", home, "--config", join(out, "reader.json")];
  const child = spawn("unshare", ["-rm", "sh", "-c", SCRIPT, "sh", home, out, ...reader, ...files], {
    stdio: ["ignore", "ignore", "pipe"],
    // A group of its own, so that the reader ends with the shell around it.
    detached: true,
  });
  const log: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => log.push(chunk));
  const gone = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  t.after(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await gone;
    await Promise.all([anvil.close(), door.close()]);
    rmSync(out, { recursive: true, force: true });
  });
  const ask = async (file: string, answer: string) => {
    writeFileSync(join(out, file), "");
    await until(answer, () => existsSync(join(out, answer)));
  };
  await anvil.client.mine({ blocks: 5 });
  await until("five blocks", () => door.taken.length === 5);
  await ask("fill", "filled");
  await anvil.client.mine({ blocks: 300 });
  await until("the error", () => /"level":40.*(disk is full|ENOSPC)/.test(Buffer.concat(log).toString()), 60_000);
  await ask("free", "freed");
  await until("all", () => door.taken.length === 305, 60_000);
  await until("the cursor", async () => {
    await ask("stop", "cursor");
    return readFileSync(join(out, "cursor"), "utf8") !== "";
  });
  assert.deepEqual(
    door.taken.map((taken) => Number(taken.block_number)),
    Array.from({ length: 305 }, (_, i) => i + 1),
  );
  const cursor = Number(readFileSync(join(out, "cursor"), "utf8"));
  assert.ok(cursor >= 304 && cursor <= 305, `${cursor}`);
});
