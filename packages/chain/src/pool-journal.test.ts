import assert from "node:assert/strict";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { decodeFrames, encodeFrames, JOURNAL_MAGIC } from "./journal-frame.ts";
import { openJournal, readJournal } from "./pool-journal.ts";
import { sandboxAccount, sign, startTestEngine } from "./testing/test-engine.ts";

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const raw = (length: number, fill = length % 251): Uint8Array => new Uint8Array(length).fill(fill);

async function directory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "cairn-journal-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function readAll(file: string): Promise<number[]> {
  const lengths: number[] = [];
  for await (const raws of readJournal(file)) lengths.push(...raws.map((bytes) => bytes.length));
  return lengths;
}

describe("journal frames", () => {
  it("come back whole, and nothing damaged does", () => {
    const raws = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(raws, fc.nat(), fc.integer({ min: 1, max: 255 }), (written, at, flip) => {
        const bytes = encodeFrames(written);
        assert.deepEqual(decodeFrames(bytes).raws, written);
        const cut = decodeFrames(bytes.subarray(0, at % bytes.length));
        assert.deepEqual(cut.raws, written.slice(0, cut.raws.length));
        const position = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(position) ^ flip, position);
        const damaged = decodeFrames(bytes);
        assert.ok(damaged.raws.length < written.length);
        assert.deepEqual(damaged.raws, written.slice(0, damaged.raws.length));
      }),
    );
  });
});

describe("pool journal", () => {
  it("answers what was appended, up to a torn or damaged end", async (t) => {
    const file = join(await directory(t), "pool");
    assert.deepEqual(await readAll(file), []);
    const journal = await openJournal({ file, live: () => [raw(5)], log });
    await journal.append([raw(10), raw(20)]);
    await journal.append([raw(30)]);
    assert.deepEqual(await readAll(file), [5, 10, 20, 30]);
    await journal.close();
    await truncate(file, (await stat(file)).size - 1);
    assert.deepEqual(await readAll(file), [5, 10, 20]);
    await appendFile(file, raw(500, 0xff));
    assert.deepEqual(await readAll(file), [5, 10, 20]);
    await writeFile(file, "something else entirely");
    assert.deepEqual(await readAll(file), []);
  });

  it("is rewritten with what is pooled before it grows without end, also under appends", async (t) => {
    const file = join(await directory(t), "pool");
    let pooled: Uint8Array[] = [];
    const journal = await openJournal({ file, live: () => pooled, log, rewriteFromBytes: 4_000 });
    for (let index = 1; index <= 500; index++) {
      pooled = [...pooled, raw(100, index % 251)].slice(-3);
      await journal.append([raw(100, index % 251)]);
    }
    // The disk decides how long a rewrite takes; once it keeps up, the file is small.
    const deadline = performance.now() + 30_000;
    while ((await stat(file)).size >= 8_000) {
      assert.ok(performance.now() < deadline);
      await journal.append(pooled);
    }
    await journal.close();
    const tail: number[] = [];
    for await (const raws of readJournal(file)) tail.push(...raws.map((bytes) => bytes[0] ?? 0));
    assert.deepEqual(
      tail.slice(-3),
      [498, 499, 500].map((index) => index % 251),
    );
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it("goes on without a file that cannot be written, and says so once", async (t) => {
    const dir = await directory(t);
    await mkdir(join(dir, "pool"));
    let errors = 0;
    const counting = { ...log, error: () => void errors++ };
    const journal = await openJournal({ file: join(dir, "pool"), live: () => [], log: counting });
    await journal.append([raw(10)]);
    assert.equal(errors, 1);
    await journal.close();
  });

  it("carries the pool over a restart: executable and queued ones, not those mined or added by nobody", async (t) => {
    const dir = await directory(t);
    const poolJournalFile = join(dir, "pool");
    const [alice, bob, carol] = [sandboxAccount(0), sandboxAccount(1), sandboxAccount(2)];
    const to = alice.address;
    const first = await startTestEngine({ dir, poolJournalFile });
    assert.deepEqual(await first.chain.restorePool(), { read: 0, pooled: 0 });
    for (const nonce of [0, 1]) assert.ok((await first.chain.submit(await sign(alice, { nonce, to }))).ok);
    await first.produce();
    for (const nonce of [2, 3, 5]) assert.ok((await first.chain.submit(await sign(alice, { nonce, to }))).ok);
    assert.ok((await first.chain.submit(await sign(bob, { nonce: 0, to }))).ok);
    assert.ok(!(await first.chain.submit(await sign(bob, { nonce: 0, to }))).ok);
    await first.stop();
    assert.deepEqual((await readFile(poolJournalFile)).subarray(0, 8), Buffer.from(JOURNAL_MAGIC));

    const second = await startTestEngine({ dir, poolJournalFile });
    assert.deepEqual(await second.chain.restorePool(), { read: 6, pooled: 4 });
    assert.deepEqual(second.chain.pool.status(), { pending: 3, queued: 1 });
    assert.equal(second.chain.pool.pendingNonce(alice.address), 4n);
    assert.ok((await second.chain.submit(await sign(carol, { nonce: 0, to }))).ok);
    const block = await second.produce();
    assert.equal(block.txs.length, 4);
    await second.stop();

    const third = await startTestEngine({ dir, poolJournalFile });
    await third.chain.restorePool();
    assert.deepEqual(third.chain.pool.status(), { pending: 0, queued: 1 });
    await third.stop();
  });
});
