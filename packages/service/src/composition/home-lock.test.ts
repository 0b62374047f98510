/** One service per home, in one process and across processes; the lock ends with its holder. A taken port is named. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { startService } from "../service.ts";
import { atEnd, runService, serviceOptions, temporaryHome } from "../testing/fixture.ts";
import { HomeInUseError, lockHome } from "./home-lock.ts";

const LOCK = new URL("./home-lock.ts", import.meta.url).href;

test("a second service on the home is refused before it touches anything; after the first it starts", async (t) => {
  const home = temporaryHome(t);
  const first = await startService(serviceOptions(home));
  atEnd(t, () => first.close());
  await assert.rejects(startService(serviceOptions(home)), (error) => {
    return error instanceof HomeInUseError && error.message.includes(home);
  });
  assert.equal((await fetch(`${first.url}/healthz`)).status, 200);
  await first.close();
  const next = await startService(serviceOptions(home));
  await next.close();
});

test("another process' lock holds until that process is killed", async (t) => {
  const home = temporaryHome(t);
  const script = `const { lockHome } = await import(${JSON.stringify(LOCK)});
    await lockHome(${JSON.stringify(home)}); console.log("held"); setInterval(() => {}, 1000);`;
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", "--input-type=module"];
  const child = spawn(process.execPath, [...flags, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  atEnd(t, () => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await assert.rejects(lockHome(home), HomeInUseError);
  const waited = lockHome(home);
  child.kill("SIGKILL");
  (await waited).release();
});

test("a port that is taken is named, in words", async (t) => {
  const first = await runService(t);
  const port = Number(new URL(first.url).port);
  const options = { ...serviceOptions(temporaryHome(t)), listen: { host: "127.0.0.1", port } };
  await assert.rejects(startService(options), {
    name: "ServiceListenError",
    message: `cannot listen on 127.0.0.1:${port}: the port is already in use`,
  });
});
