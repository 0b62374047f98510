import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openApi } from "@cairn/api";
import { call, runService, TOKEN } from "../testing/fixture.ts";

const NO_TOOL =
  process.env.CAIRN_SCHEMATHESIS === undefined
    ? "schemathesis is not installed: CAIRN_SCHEMATHESIS names none (npm test brings it where PyPI can be reached)"
    : false;

test("the document served is the table's", async (t) => {
  const service = await runService(t);
  const { body, headers } = await call(service, "/openapi.json");
  assert.deepEqual(body, JSON.parse(JSON.stringify(openApi())));
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
});

/** Not asked: the stream has no end, and readiness is rightly refused without a node. */
const LEFT_OUT = ["streamEvents", "readyz"].flatMap((name) => ["--exclude-operation-id", name]);
/** Made-up cursors are rightly refused. */
const UNCHECKED = "positive_data_acceptance";

test("schemathesis finds nothing that the document does not say", { skip: NO_TOOL, timeout: 280_000 }, async (t) => {
  const service = await runService(t, { addressRates: ENDLESS });
  const cwd = mkdtempSync(join(tmpdir(), "cairn-schemathesis-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const args = [
    ...["run", `${service.url}/openapi.json`, "-H", `Authorization: Bearer ${TOKEN}`, ...LEFT_OUT],
    ...["--exclude-checks", UNCHECKED, "--phases", "examples,coverage,fuzzing"],
    ...["-n", "15", "--seed", "1", "--no-shrink", "--continue-on-failure", "--warnings", "off"],
    ...["--request-timeout", "60", "--suppress-health-check", "all", "--output-truncate", "true"],
  ];
  const output = await new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
    execFile(process.env.CAIRN_SCHEMATHESIS ?? "", args, { cwd, timeout: 250_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr });
    });
  });
  assert.equal(output.code, 0, output.text);
  const generated = /(\d+) generated/.exec(output.text)?.[1];
  assert.ok(Number(generated) > 500, `only ${generated} cases ran`);
});

const RATE = { perWindow: 1_000_000, burst: 1_000_000 };
const ENDLESS = { attempts: RATE, accessRequests: RATE, publicReads: RATE };
