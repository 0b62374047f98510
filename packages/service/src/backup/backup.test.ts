import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startService } from "../service.ts";
import { call, post, runService, serviceOptions, temporaryHome, until } from "../testing/fixture.ts";
import { endpoints, KEYS, runNode } from "../testing/node-fixture.ts";
import { withoutSmallDisk } from "../testing/small-disk.ts";
import { backupService, restoreService } from "./backup.ts";

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", value: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "backup",
});

test("a running service is backed up whole; what was acknowledged is there after the restore, and it goes on", {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await startService({ ...serviceOptions(home), ...KEYS, ...endpoints(node) });
  const submit = async (n: number) => String((await post(service, "/v1/submit-proof", commitment(n))).body.id);
  const settled = (id: string) =>
    until(
      "settled",
      async () =>
        !["received", "verified", "batched"].includes(String((await call(service, `/v1/proofs/${id}`)).body.state)),
    );
  const first = await submit(1);
  await settled(first);
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config/service.toml"), "# settings\n");
  let isBusy = true;
  const busy = (async () => {
    for (let n = 100; isBusy; n += 1) await submit(n);
  })();
  const file = join(home, "backup.tar");
  const manifest = await backupService(home, file);
  isBusy = false;
  await busy;
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(execFileSync("tar", ["tf", file]).toString(), /MANIFEST\.json\n(.*\n)*service\/service\.db/);
  assert.ok(manifest.files["config/service.toml"] !== undefined);
  const later = await submit(2);
  await settled(later);
  await service.close();
  const other = join(home, "other");
  assert.deepEqual(restoreService(other, file), manifest);
  assert.equal(readFileSync(join(other, "config/service.toml"), "utf8"), "# settings\n");
  const restored = await runService(t, { home: other, ...KEYS, ...endpoints(node) });
  assert.equal((await call(restored, `/v1/proofs/${first}`)).status, 200);
  assert.equal((await call(restored, `/v1/proofs/${later}`)).status, 404, "what came after the backup is not in it");
  const again = String((await post(restored, "/v1/submit-proof", commitment(2))).body.id);
  assert.equal(again, later, "the same content has the same id");
  const state = async () => String((await call(restored, `/v1/proofs/${again}`)).body.state);
  await until(
    "numbering goes on after the chain's",
    async () => ["settled", "anchored", "final"].includes(await state()),
    60_000,
  );
  assert.throws(() => restoreService(other, file), { code: "home-in-use" });
  await assert.rejects(backupService(other, file), { code: "file-exists" });
});

test("a restore that was cut short is repeated", async (t) => {
  const home = temporaryHome(t);
  const { close } = await startService(serviceOptions(home));
  await close();
  mkdirSync(join(home, "config"));
  writeFileSync(join(home, "config/service.toml"), "# settings\n");
  const file = join(home, "backup.tar");
  const manifest = await backupService(home, file);
  const target = join(home, "target");
  mkdirSync(join(target, ".cairn-restore-killed"), { recursive: true });
  writeFileSync(join(target, "config"), "in the way");
  assert.throws(() => restoreService(target, file), { code: "EEXIST" });
  assert.equal(existsSync(join(target, "service/service.db")), false, "it is no service yet");
  rmSync(join(target, "config"));
  assert.deepEqual(restoreService(target, file), manifest);
  assert.deepEqual(readdirSync(target).sort(), ["config", "service"], "nothing else stays");
});

const COMMAND = `
place=$1; shift
mount -t tmpfs -o size=64k tmpfs "$place" || exit 9
"$@"; code=$?
ls -A "$place"
exit $code`;

test("a full disk is no damaged backup: said so, and nothing stays", { skip: withoutSmallDisk }, async (t) => {
  const home = temporaryHome(t);
  const { close } = await startService(serviceOptions(home));
  await close();
  const file = join(home, "backup.tar");
  await backupService(home, file);
  const small = join(home, "small");
  mkdirSync(small);
  const program = "const b = await import(process.argv[1]); await b[process.argv[2]](...process.argv.slice(3))";
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", "--input-type=module"];
  const run = (name: string, ...args: readonly string[]) => {
    const node = [process.execPath, ...flags, "-e", program, new URL("backup.ts", import.meta.url).href, name, ...args];
    return spawnSync("unshare", ["-rm", "sh", "-c", COMMAND, "sh", small, ...node], { encoding: "utf8" });
  };
  for (const ended of [run("backupService", home, join(small, "b.tar")), run("restoreService", small, file)]) {
    assert.match(ended.stderr, /BackupError: there is no room/);
    assert.deepEqual([ended.status, ended.stdout], [1, ""]);
  }
});

test("a damaged backup is refused and leaves nothing", async (t) => {
  const home = temporaryHome(t);
  const { close } = await startService(serviceOptions(home));
  await close();
  const file = join(home, "backup.tar");
  await backupService(home, file);
  const bytes = readFileSync(file);
  const damaged = (name: string, change: (copy: Buffer) => Buffer) => {
    const path = join(home, name);
    writeFileSync(path, change(Buffer.from(bytes)));
    const target = join(home, `to-${name}`);
    assert.throws(() => restoreService(target, path), { code: "damaged-backup" }, name);
    assert.equal(existsSync(join(target, "service")), false, name);
  };
  damaged("flipped", (copy) => {
    copy.writeUInt8(copy.readUInt8(copy.length - 5_000) ^ 1, copy.length - 5_000);
    return copy;
  });
  damaged("cut", (copy) => copy.subarray(0, copy.length / 2));
  damaged("empty", () => Buffer.alloc(0));
  damaged("elsewhere", (copy) => {
    copy.write("../../evil", copy.lastIndexOf("service/service.db"));
    return copy;
  });
  await assert.rejects(backupService(join(home, "nothing"), join(home, "x.tar")), { code: "no-service" });
});
