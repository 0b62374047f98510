import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { inspect } from "node:util";
import { decryptKeystoreJson, encryptKeystoreJson, Wallet } from "ethers";
import { WebSocket } from "ws";
import { pinnedSettings } from "./config/resolve.ts";
import { initNodeHome } from "./init-node-home.ts";
import { loadNodeConfig } from "./load-config.ts";
import { createTestHome, startTestNode, type TestHome } from "./testing/test-home.ts";

const OPERATOR_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const OPERATOR = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const NOBODY = `0x${"ee".repeat(20)}`;

interface Entry {
  readonly level: string;
  readonly message: string;
}

/** A log that keeps every line with all that hangs on it. */
function recordingLog() {
  const lines: string[] = [];
  const entries: Entry[] = [];
  const take = (level: string) => (fields: object, message: string) => {
    entries.push({ level, message });
    lines.push(`${level} ${message} ${inspect(fields, { depth: 10, showHidden: true })}`);
  };
  return {
    lines,
    entries,
    log: { debug: take("debug"), info: take("info"), warn: take("warn"), error: take("error") },
  };
}

async function homeFor(t: TestContext): Promise<TestHome> {
  const home = await createTestHome();
  t.after(() => home.close());
  return home;
}

async function tokenOf(home: TestHome): Promise<string> {
  return `Bearer ${(await readFile(join(home.dir, "config/operator.token"), "utf8")).trim()}`;
}

function caller(url: string, authorization: string) {
  return async (method: string, ...params: unknown[]) => {
    const headers = { "content-type": "application/json", authorization };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const text = await (await fetch(url, { method: "POST", headers, body })).text();
    return { text, ...JSON.parse(text) };
  };
}

/** Sends calls over one WebSocket; the replies in their order, or the HTTP status of a refused upgrade. */
function overWebSocket(
  url: string,
  authorization: string | undefined,
  calls: readonly (readonly [string, unknown[]])[],
) {
  const headers = authorization === undefined ? {} : { authorization };
  return new Promise<{ readonly id: number; readonly result?: unknown; readonly error?: { code: number } }[] | number>(
    (resolve, reject) => {
      const socket = new WebSocket(url, { headers });
      const replies: { id: number; result?: unknown; error?: { code: number } }[] = [];
      socket.on("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode));
      socket.on("error", reject);
      socket.on("open", () => {
        for (const [id, [method, params]] of calls.entries()) {
          socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
        }
      });
      socket.on("message", (data) => {
        replies.push(JSON.parse(String(data)));
        if (replies.length === calls.length) {
          socket.close();
          resolve(replies.sort((a, b) => a.id - b.id));
        }
      });
    },
  );
}

function jwtOf(secretHex: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iat: Math.floor(Date.now() / 1000) })}`;
  return `Bearer ${body}.${createHmac("sha256", Buffer.from(secretHex, "hex")).update(body).digest("base64url")}`;
}

const lightKdf = (dir: string) => loadNodeConfig({ home: dir, flags: { "keystore.light-kdf": "true" } });

describe("accounts of a node", () => {
  it("are asked for over HTTP and WebSocket with the operator's token or a JWT", async (t) => {
    const home = await homeFor(t);
    const node = await home.start({ config: await lightKdf(home.dir) });
    const jwt = jwtOf((await readFile(join(home.dir, "config/jwt.hex"), "utf8")).trim());
    for (const authorization of [await tokenOf(home), jwt]) {
      const made = await caller(node.jsonRpcUrl, authorization)("personal_newAccount", "pass");
      assert.match(made.result, /^0x[0-9a-fA-F]{40}$/);
      const address = made.result.toLowerCase();
      const replies = await overWebSocket(node.jsonRpcWsUrl, authorization, [
        ["personal_unlockAccount", [address, "pass"]],
        ["personal_listAccounts", []],
        ["miner_getHashrate", []],
      ]);
      assert.ok(Array.isArray(replies));
      assert.deepEqual([replies[0]?.result, replies[2]?.result], [true, 0]);
      assert.ok(Array.isArray(replies[1]?.result) && replies[1].result.includes(address));
    }
    const denied = await overWebSocket(node.jsonRpcWsUrl, undefined, [["personal_listAccounts", []]]);
    assert.ok(Array.isArray(denied) && denied[0]?.error?.code === 4100);
    assert.equal(await overWebSocket(node.jsonRpcWsUrl, "Bearer wrong", []), 401);
  });

  it("stand in <home>/keystore as geth's files, survive a restart locked, and join from outside", async (t) => {
    const home = await homeFor(t);
    const config = await lightKdf(home.dir);
    const token = await tokenOf(home);
    const first = await home.start({ config });
    const call = caller(first.jsonRpcUrl, token);
    const address = (await call("personal_importRawKey", OPERATOR_KEY.slice(2), "pass")).result;
    assert.equal(address, OPERATOR);
    await call("personal_unlockAccount", address, "pass", 0);
    await first.close();
    const dir = join(home.dir, "keystore");
    const [name = ""] = (await readdir(dir)).filter((entry) => entry.startsWith("UTC--"));
    assert.equal((await stat(join(dir, name))).mode & 0o777, 0o600);
    assert.equal((await stat(dir)).mode & 0o777, 0o700);
    assert.equal((await decryptKeystoreJson(await readFile(join(dir, name), "utf8"), "pass")).privateKey, OPERATOR_KEY);
    const foreign = new Wallet(`0x${"42".repeat(32)}`);
    const text = await encryptKeystoreJson(foreign, "theirs", { scrypt: { N: 4096, r: 8, p: 6 } });
    await writeFile(join(dir, `UTC--2020-01-01T00-00-00.000000000Z--${foreign.address.slice(2).toLowerCase()}`), text);

    const second = await home.start({ config });
    const again = caller(second.jsonRpcUrl, token);
    assert.deepEqual((await again("personal_listAccounts")).result, [foreign.address.toLowerCase(), OPERATOR]);
    const locked = await again("eth_sendTransaction", { from: OPERATOR, to: NOBODY });
    assert.equal(locked.error.message, "authentication needed: password or unlock");
    assert.equal((await again("personal_unlockAccount", foreign.address, "theirs")).result, true);
    const sent = await again("personal_sendTransaction", { from: OPERATOR, to: NOBODY, value: "0x1" }, "pass");
    assert.match(sent.result, /^0x[0-9a-f]{64}$/);
  });

  it("leave no passphrase, key or path in logs and errors", async (t) => {
    const home = await homeFor(t);
    const { lines, log } = recordingLog();
    const node = await home.start({ config: await lightKdf(home.dir), log });
    const token = await tokenOf(home);
    const call = caller(node.jsonRpcUrl, token);
    const secrets = ["S3cret-Right", "S3cret-Wrong", "S3cret-Pairing", OPERATOR_KEY.slice(2), token.slice(7)];
    const [right, wrong, pairing] = secrets;
    await call("personal_importRawKey", OPERATOR_KEY.slice(2), right);
    const tx = { from: OPERATOR, to: NOBODY };
    const replies = [
      await call("personal_newAccount", right),
      await call("personal_importRawKey", OPERATOR_KEY, right),
      await call("personal_importRawKey", `${OPERATOR_KEY}00`, right),
      await call("personal_unlockAccount", OPERATOR, wrong),
      await call("personal_unlockAccount", OPERATOR, right, "S3cret-Wrong"),
      await call("personal_unlockAccount", right, OPERATOR),
      await call("personal_sendTransaction", tx, wrong),
      await call("personal_sendTransaction", { ...tx, value: "0xffffffffffffffffffffffff" }, right),
      await call("personal_sign", "0x01", OPERATOR, wrong),
      await call("personal_sign", "0x01", OPERATOR, right),
      await call("personal_initializeWallet", `pcsc://${pairing}`),
      await call("personal_unpair", `soft://x?pairing=${pairing}`, pairing),
      await call("personal_openWallet", `soft://${pairing}?pairing=${pairing}`),
      await call("personal_sign", [right, wrong], { [wrong ?? ""]: right }, 7),
    ];
    // A directory where the wallet's file belongs: the key store cannot write, which is a fault that is logged.
    await mkdir(join(home.dir, "keystore/soft/full.json"));
    const fault = await call("personal_initializeWallet", `soft://full?pairing=${pairing}`);
    assert.equal(fault.error.code, -32603);
    assert.ok(lines.some((line) => line.startsWith("error")));
    for (const reply of [...replies, fault]) {
      assert.ok(!reply.text.includes(home.dir), reply.text);
      for (const secret of secrets) assert.ok(!reply.text.includes(secret), `${secret} in ${reply.text}`);
    }
    assert.ok(!(await call("personal_initializeWallet", `soft://ok?pairing=${pairing}`)).text.includes(pairing));
    await node.close();
    for (const secret of secrets) assert.ok(!lines.join("\n").includes(secret), `${secret} was logged`);
  });
});

describe("miner_setGasPrice", () => {
  const price = (hex: string, from: string) => ({ from, to: NOBODY, gasPrice: hex, value: "0x1" });

  it("writes app.toml, keeps the rest of it, and holds from the next start on", async (t) => {
    const home = await homeFor(t);
    const appToml = join(home.dir, "config/app.toml");
    const before = await readFile(appToml, "utf8");
    await writeFile(appToml, `${before}\n# a comment of the operator's\n`);
    const token = await tokenOf(home);
    const first = await home.start({ config: await lightKdf(home.dir) });
    const call = caller(first.jsonRpcUrl, token);
    assert.equal((await call("personal_importRawKey", OPERATOR_KEY, "pass")).result, OPERATOR);
    assert.equal((await call("miner_setGasPrice", "0x174876e800")).result, true);
    const cheap = price("0x77359400", OPERATOR);
    assert.match((await call("personal_sendTransaction", cheap, "pass")).result, /^0x/);
    await first.close();
    const text = await readFile(appToml, "utf8");
    assert.ok(text.includes("# a comment of the operator's"));
    const changed = text.split("\n").filter((line) => !`${before}\n# a comment of the operator's\n`.includes(line));
    assert.deepEqual(changed, ['minimum-gas-prices = "100000000000"']);

    const second = await home.start({ config: await lightKdf(home.dir) });
    const again = caller(second.jsonRpcUrl, token);
    const refused = await again("personal_sendTransaction", cheap, "pass");
    assert.match(refused.error.message, /minimum needed 100000000000$/);
    assert.equal((await again("miner_setGasPrice", "0x0")).result, true);
    assert.equal((await loadNodeConfig({ home: home.dir }))["minimum-gas-prices"], 0n);
  });

  it("warns where a flag or a variable sets the price", async (t) => {
    const home = await homeFor(t);
    const { entries, log } = recordingLog();
    const sources = { flags: { "minimum-gas-prices": "7" }, env: {} };
    const config = await loadNodeConfig({ home: home.dir, ...sources });
    const node = await home.start({ config, pinned: pinnedSettings(sources), log });
    const call = caller(node.jsonRpcUrl, await tokenOf(home));
    assert.equal((await call("miner_setGasPrice", "0x5")).result, true);
    assert.ok(entries.some(({ level, message }) => level === "warn" && message.includes("minimum-gas-prices")));
    assert.equal((await loadNodeConfig({ home: home.dir }))["minimum-gas-prices"], 5n);
    assert.equal((await loadNodeConfig({ home: home.dir, ...sources }))["minimum-gas-prices"], 7n);
    assert.deepEqual([...pinnedSettings({ env: { CAIRN_MINIMUM_GAS_PRICES: "1" } })], ["minimum-gas-prices"]);
  });
});

describe("miner_setEtherbase", () => {
  it("is signed with the operator's key where the home holds it", async (t) => {
    const home = await homeFor(t);
    const dir = join(home.dir, "with-key");
    const operatorKey = Buffer.from(OPERATOR_KEY.slice(2), "hex");
    await initNodeHome({ home: dir, balances: { [OPERATOR]: 10n ** 20n }, operatorKey });
    assert.equal((await stat(join(dir, "config/operator.key"))).mode & 0o777, 0o600);
    const node = await startTestNode(dir);
    t.after(() => node.close());
    const token = (await readFile(join(dir, "config/operator.token"), "utf8")).trim();
    const call = caller(node.jsonRpcUrl, `Bearer ${token}`);
    assert.equal((await call("miner_setEtherbase", NOBODY)).result, true);
    assert.equal((await call("eth_coinbase")).result, NOBODY);
    await node.close();
    await writeFile(join(dir, "config/operator.key"), "no key");
    await assert.rejects(startTestNode(dir), { code: "invalid-home" });
  });
});
