/** The production environment on a real node: what it refuses of a chain and a store, and how its answers say so. */
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Route, restRoutes } from "@cairn/api";
import { InclusionVault } from "@cairn/contracts";
import { initNodeHome, SANDBOX_ACCOUNTS } from "@cairn/node";
import { EnvironmentMismatchError } from "./accounts/accounts-file.ts";
import { ProductionError } from "./environment/production-rules.ts";
import { startService } from "./service.ts";
import { atEnd, call, runService, temporaryHome } from "./testing/fixture.ts";
import { endpoints, reopenNode, runNode } from "./testing/node-fixture.ts";
import { staging } from "./testing/production-fixture.ts";

test("a chain whose genesis funds public accounts is refused by name", async (t) => {
  const home = temporaryHome(t);
  await initNodeHome({ home, balances: Object.fromEntries(SANDBOX_ACCOUNTS.slice(0, 2).map((a) => [a, 1n])) });
  const node = await reopenNode(t, home);
  const options = { ...(await staging(t, home)), ...endpoints(node) };
  await assert.rejects(startService(options), (error) => {
    assert.ok(error instanceof ProductionError);
    assert.deepEqual(
      error.refusals.map((refusal) => refusal.code),
      ["sandbox-accounts-funded"],
    );
    return true;
  });
});

test("payment by a vault is refused on a chain that has another one, or none", async (t) => {
  const home = temporaryHome(t);
  const alloc = { [InclusionVault.address]: { balance: "0x0", code: "0x00" } } as const;
  await initNodeHome({ home, alloc });
  const node = await reopenNode(t, home);
  const options = { ...(await staging(t, home)), ...endpoints(node), payment: "vault" } as const;
  await assert.rejects(startService(options), (error) => {
    return error instanceof ProductionError && error.refusals.map(({ code }) => code).join() === "no-vault";
  });
});

test("every answer names the environment; paths stand under /v1 only; no token opens a door", async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await startService({ ...(await staging(t, home)), ...endpoints(node) });
  atEnd(t, () => service.close());
  for (const [path, status] of [
    ["/healthz", 200],
    ["/status", 401],
    ["/v1/status", 401],
    ["/v1/batches", 200],
    ["/batches", 404],
    ["/nowhere", 404],
  ] as const) {
    const answer = await call(service, path);
    assert.equal(answer.status, status, path);
    assert.equal(answer.headers.get("x-cairn-environment"), "production", path);
  }
});

test("the sandbox's tools are neither served nor described in production", async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await startService({ ...(await staging(t, home)), ...endpoints(node) });
  atEnd(t, () => service.close());
  const tools = Object.entries<Route>(restRoutes).filter(([, { environment }]) => environment === "sandbox");
  assert.ok(tools.length >= 10);
  const page = String((await call(service, "/docs")).body.text);
  const { paths } = (await call(service, "/openapi.json")).body as { readonly paths: object };
  for (const [name, { method, path }] of tools) {
    assert.ok(!page.includes(`id="${name}"`), name);
    for (const asked of [path, path.slice(3)].map((form) => form.replaceAll(/\{\w+\}/g, "0x00"))) {
      for (const verb of [method, "GET", "DELETE"]) {
        const answer = await call(service, asked, { method: verb });
        assert.deepEqual([answer.status, answer.body.code], [404, "not-found"], `${verb} ${asked}`);
      }
    }
  }
  assert.doesNotMatch(page, /\/sandbox\//);
  assert.deepEqual(
    Object.keys(paths).filter((path) => path.includes("sandbox")),
    [],
  );
  const others = Object.values<Route>(restRoutes).filter(({ environment }) => environment === undefined);
  assert.deepEqual(new Set(Object.keys(paths)), new Set(others.map(({ path }) => path)));
});

test("a store keeps its environment", async (t) => {
  const home = temporaryHome(t);
  const options = await staging(t, home);
  const { close } = await startService(options);
  await close();
  const sandbox = { ...options, environment: "sandbox", payment: "mock" } as const;
  await assert.rejects(startService(sandbox), (error) => {
    assert.ok(error instanceof ProductionError && error.refusals[0]?.code === "sandbox-store");
    return /a sandbox service does not start like this:\n {2}sandbox-store: --home .*production service/.test(
      error.message,
    );
  });
  for (const file of readdirSync(join(home, "service")).filter((name) => name.startsWith("service.db"))) {
    rmSync(join(home, "service", file));
  }
  await assert.rejects(startService(sandbox), EnvironmentMismatchError, "without the store the accounts tell");
});

test("options, store and chain of a sandbox are refused together, each by its setting", async (t) => {
  const home = temporaryHome(t);
  await initNodeHome({ home, balances: Object.fromEntries(SANDBOX_ACCOUNTS.slice(0, 2).map((a) => [a, 1n])) });
  const node = await reopenNode(t, home);
  const sandbox = await runService(t, { home });
  await sandbox.close();
  const options = { ...(await staging(t, home)), ...endpoints(node), listen: { host: "0.0.0.0", port: 0 } };
  const mock = { ...options, payment: "mock" } as const;
  const told = (error: unknown) => {
    assert.ok(error instanceof ProductionError);
    const lines = error.message.split("\n").slice(1);
    assert.equal(lines.length, error.refusals.length);
    for (const { message, setting, code } of error.refusals) {
      assert.ok(message.startsWith(`${setting} `), message);
      assert.ok(lines.includes(`  ${code}: ${message}`));
    }
    assert.deepEqual(
      error.refusals.map(({ code, setting }) => `${code} ${setting}`),
      [
        "mock-payment payment.mode",
        "open-listener listen.address",
        "sandbox-store --home",
        "sandbox-accounts-funded chain.node-rpc",
      ],
    );
    return true;
  };
  await assert.rejects(startService(mock), told);
  const silent = { ...mock, nodeRpcUrl: "http://127.0.0.1:1" };
  await assert.rejects(
    startService(silent),
    (error) => error instanceof ProductionError && error.refusals.length === 3,
  );
});

test("a sandbox says so in every answer, also to bytes that are no request", async (t) => {
  const service = await runService(t);
  assert.equal((await call(service, "/status")).headers.get("x-cairn-environment"), "sandbox");
  assert.equal((await call(service, "/status")).body.environment, "sandbox");
  const { connect } = await import("node:net");
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname, () => socket.write("nonsense\r\n\r\n"));
  let text = "";
  for await (const chunk of socket) text += chunk;
  assert.match(text, /x-cairn-environment: sandbox/i);
});
