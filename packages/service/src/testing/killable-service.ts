/** A production service as a process that a test kills and starts again, and its client. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Answer, atEnd, temporaryHome } from "./fixture.ts";
import type { KillInstant } from "./kill-preload.ts";

const PRELOAD = new URL("kill-preload.ts", import.meta.url).href;
const CHILD = fileURLToPath(new URL("service-child.ts", import.meta.url));

/** A service process. */
export interface KillableService {
  /** SIGKILL, and the process is gone. */
  kill(): Promise<void>;
  /** Starts it (again); with an instant at which it ends itself, which may be before it listens. */
  start(kill?: KillInstant): Promise<void>;
  /** Whether the process is there. */
  isRunning(): boolean;
  get(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
}

/** Starts a service with these options (`service-child.ts`), calling it with `token`. */
export async function killableService(t: TestContext, options: object, token: () => string): Promise<KillableService> {
  const compiled = temporaryHome(t);
  let child: ChildProcess | undefined;
  let url = "";
  const start = async (at?: KillInstant): Promise<void> => {
    const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
    const preload = at === undefined ? [] : ["--import", PRELOAD];
    const instant = at === undefined ? {} : { CAIRN_TEST_KILL: JSON.stringify(at) };
    const env = { ...process.env, NODE_COMPILE_CACHE: compiled, ...instant };
    const started = spawn(process.execPath, [...flags, ...preload, CHILD, JSON.stringify(options)], {
      ...{ stdio: ["ignore", "pipe", "inherit"], env },
    });
    child = started;
    const [chunk] = await Promise.race([once(started.stdout, "data"), once(started, "exit").then(() => [""])]);
    url = String(chunk).trim();
    if (url === "" && at === undefined) throw new Error("the service did not start");
  };
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  const kill = async (): Promise<void> => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token()}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
  };
  atEnd(t, kill);
  await start();
  return {
    ...{ start, kill, isRunning },
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: "POST", body: JSON.stringify(body) }),
  };
}
