/** A production service as a process that a test kills and starts again, and its client. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Answer, atEnd } from "./fixture.ts";

const CHILD = fileURLToPath(new URL("service-child.ts", import.meta.url));

/** A service process. */
export interface KillableService {
  /** SIGKILL, and the process is gone. */
  kill(): Promise<void>;
  /** Starts it (again). */
  start(): Promise<void>;
  get(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
}

/** Starts a service with these options (`service-child.ts`), calling it with `token`. */
export async function killableService(t: TestContext, options: object, token: () => string): Promise<KillableService> {
  let child: ChildProcess | undefined;
  let url = "";
  const start = async (): Promise<void> => {
    const args = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", CHILD, JSON.stringify(options)];
    const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    child = started;
    const [chunk] = await Promise.race([once(started.stdout, "data"), once(started, "exit").then(() => [""])]);
    url = String(chunk).trim();
    if (url === "") throw new Error("the service did not start");
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
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
    ...{ start, kill },
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: "POST", body: JSON.stringify(body) }),
  };
}
