/**
 * Loaded before a service in a process of its own: ends it by SIGKILL at one named instant, so that nothing of the
 * service knows of it. The instant is JSON in `CAIRN_TEST_KILL` (`KillInstant`).
 */
import { DatabaseSync } from "node:sqlite";

/** Before or after a commit of a database, or a call to the chain node; counted from the process's start. */
export interface KillInstant {
  /** File name of a database, or method of the node. */
  readonly of: string;
  readonly nth: number;
  readonly phase: "before" | "after";
}

const die = (): void => void process.kill(process.pid, "SIGKILL");

/** Counts what happens; deadly at its instant. */
function deadly(kill: KillInstant): { before(of: string): void; after(of: string): void } {
  let count = 0;
  return {
    before: (of) => {
      if (!of.endsWith(kill.of)) return;
      count += 1;
      if (count === kill.nth && kill.phase === "before") die();
    },
    after: (of) => {
      if (of.endsWith(kill.of) && count === kill.nth) die();
    },
  };
}

function install(kill: KillInstant): void {
  const { before, after } = deadly(kill);
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    const of = sql === "COMMIT" ? (this.location() ?? "") : "";
    before(of);
    exec.call(this, sql);
    after(of);
  };
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const [, of = ""] = /"method":"(\w+)"/.exec(String(init?.body ?? "")) ?? [];
    before(of);
    const response = await fetch(input, init);
    after(of);
    return response;
  };
}

const text = process.env.CAIRN_TEST_KILL;
if (text !== undefined) install(JSON.parse(text));
