/** A directory for one test, and waiting for a condition with a deadline. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

/** Made in the system's temporary directory, removed when the test ends. */
export function temporaryDirectory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "cairn-aggregator-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Polls until `ask` answers something; throws after the deadline. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  deadlineMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited too long: ${what}`);
    await delay(20);
  }
}
