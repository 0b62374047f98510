/** The commands of docs/guides/production.md, run in their order on real nodes. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createRegtest } from "@cairn/bitcoin-node";
import { ROOT } from "../../tools/stages.ts";
import { freeOffset, temporaryHome } from "./cairn-process.ts";
import { until } from "./until.ts";

const GUIDE = readFileSync(join(ROOT, "docs/guides/production.md"), "utf8");
const COMMANDS = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));
const MAIN = join(ROOT, "packages/cli/src/main.ts");
const NODE_FLAGS = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

interface Shell {
  run(command: string): Promise<string>;
}

function shell(t: TestContext, dir: string, env: Readonly<Record<string, string>>): Shell {
  const lasting: ChildProcess[] = [];
  t.after(async () => {
    for (const child of lasting.reverse()) await ended(child);
    rmSync(dir, { recursive: true, force: true });
  });
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [...NODE_FLAGS, MAIN, ...args], { cwd: dir, env: { ...process.env, ...env } });
  return {
    run: async (command) => {
      const [program, ...args] = command.split(" ");
      if (program === "curl") return curl(args.at(-1) ?? "");
      assert.equal(program, "cairn", command);
      const child = start(args);
      const output: string[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (chunk: Buffer) => output.push(String(chunk)));
      if (/^cairn (start|service --home)/.test(command)) {
        lasting.push(child);
        await until(`${command} listens`, () => {
          assert.equal(child.exitCode, null, output.join(""));
          return /http:\/\//.test(output.join(""));
        });
        return output.join("");
      }
      const code = await new Promise((resolve) => child.on("close", resolve));
      assert.equal(code, 0, `${command}\n${output.join("")}`);
      return output.join("");
    },
  };
}

async function curl(url: string): Promise<string> {
  return (await fetch(url)).text();
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.on("close", resolve));
  child.kill("SIGTERM");
  await gone;
}

/** The settings that move every listener by `offset`, and take a regtest for the network. */
function addressesAt(offset: number): Readonly<Record<string, string>> {
  return {
    CAIRN_JSON_RPC_ADDRESS: `127.0.0.1:${8545 + offset}`,
    CAIRN_JSON_RPC_WS_ADDRESS: `127.0.0.1:${8546 + offset}`,
    CAIRN_RPC_LADDR: `tcp://127.0.0.1:${26_657 + offset}`,
    CAIRN_SERVICE_CHAIN_NODE_RPC: `http://127.0.0.1:${8545 + offset}`,
    CAIRN_SERVICE_CHAIN_CONSENSUS_RPC: `http://127.0.0.1:${26_657 + offset}`,
    CAIRN_SERVICE_LISTEN_ADDRESS: `127.0.0.1:${8090 + offset}`,
    CAIRN_SERVICE_BITCOIN_ACCEPT_REGTEST: "true",
  };
}

test("every command of the production guide does what the guide says", { timeout: 240_000 }, async (t) => {
  const dir = temporaryHome();
  const offset = await freeOffset();
  const regtest = await createRegtest({
    ...{ dir: join(dir, "outside"), user: "me", password: "secret", blockIntervalMs: 500, log: SILENT },
  });
  t.after(() => regtest.close());
  writeFileSync(join(dir, "passphrase"), "a passphrase of some length\n", { mode: 0o600 });
  const { run } = shell(t, dir, addressesAt(offset));
  const words: Record<string, string> = {
    "http://USER:PASSWORD@127.0.0.1:8332": regtest.url,
    mainnet: "regtest",
    "/run/secrets/cairn": join(dir, "passphrase"),
    OPERATOR: `0x${"42".repeat(20)}`,
    "127.0.0.1:8090": `127.0.0.1:${8090 + offset}`,
  };
  const outputs = new Map<string, string>();
  for (const command of COMMANDS) {
    const filled = Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, value), command);
    const output = await run(filled);
    outputs.set(command, output);
    const [, settler] = /settler +(0x[0-9a-fA-F]{40})/.exec(output) ?? [];
    if (settler !== undefined) words.SETTLER = settler;
  }
  const said = (start: string) => [...outputs].find(([command]) => command.startsWith(start))?.[1] ?? "";
  assert.match(said("cairn service check"), /^(ok: the production service can start|waiting)/);
  assert.match(said("cairn service --home"), /production service at http/);
  assert.match(said("curl -s http://127.0.0.1:8090/metrics"), /^cairn_alarm\{alarm="anchor-runway"\} [01]$/m);
  assert.ok("alarms" in JSON.parse(said("curl -s http://127.0.0.1:8090/readyz")));
  assert.match(said("cairn service restore"), /restored/);
  assert.ok(readFileSync(join(dir, "restored/config/service.toml"), "utf8").includes('network = "regtest"'));
  assert.ok(COMMANDS.length >= 10);
});
