import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallLimits } from "./call-limits.ts";

const signal = new AbortController().signal;

/** Calls that end when told. */
function calls(limits: ReturnType<typeof createCallLimits>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (host: string, name: string, stop: AbortSignal = signal) =>
    limits.run(
      host,
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      stop,
    );
  return { begun, run, end: (name: string) => ends.get(name)?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("at most so many to a host, in order; another host is not held up", async () => {
  const c = calls(createCallLimits({ perHost: 2, total: 10 }));
  const all = ["a1", "a2", "a3", "a4"].map((name) => c.run("a", name));
  const other = c.run("b", "b1");
  await settled();
  assert.deepEqual(c.begun, ["a1", "a2", "b1"]);
  c.end("a2");
  await settled();
  assert.deepEqual(c.begun, ["a1", "a2", "b1", "a3"]);
  for (const name of ["a1", "a3", "b1"]) c.end(name);
  await settled();
  c.end("a4");
  assert.deepEqual(await Promise.all([...all, other]), ["a1", "a2", "a3", "a4", "b1"]);
});

test("at most so many altogether; hosts take turns", async () => {
  const c = calls(createCallLimits({ perHost: 2, total: 2 }));
  for (const name of ["a1", "a2", "a3", "a4"]) void c.run("a", name);
  for (const name of ["b1", "b2"]) void c.run("b", name);
  await settled();
  assert.deepEqual(c.begun, ["a1", "a2"]);
  for (const name of ["a1", "a2", "b1"]) {
    c.end(name);
    await settled();
  }
  assert.deepEqual(c.begun, ["a1", "a2", "b1", "a3", "b2"]);
});

test("a call that fails gives its place back; one that is aborted while it waits never begins", async () => {
  const limits = createCallLimits({ perHost: 1, total: 1 });
  await assert.rejects(
    limits.run("a", () => Promise.reject(new Error("no")), signal),
    /no/,
  );
  const c = calls(limits);
  const first = c.run("a", "first");
  const stop = new AbortController();
  const aborted = c.run("a", "aborted", stop.signal);
  const third = c.run("a", "third");
  stop.abort(new Error("stopped"));
  await assert.rejects(aborted, /stopped/);
  await assert.rejects(c.run("a", "late", stop.signal), /stopped/);
  c.end("first");
  await settled();
  c.end("third");
  assert.deepEqual(await Promise.all([first, third]), ["first", "third"]);
  assert.deepEqual(c.begun, ["first", "third"]);
});
