/** The documentation page in a real browser: it shows every route, tries one, and fetches nothing from elsewhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { restRoutes } from "@cairn/api";
import { runService, TOKEN } from "../../packages/service/src/testing/fixture.ts";
import { NO_BROWSER, openBrowser } from "./browser.ts";

test("the page works under its policy, without anything from elsewhere", {
  skip: NO_BROWSER ?? false,
  timeout: 120_000,
}, async (t) => {
  const service = await runService(t);
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${service.url}/docs`);
  for (const name of Object.keys(restRoutes)) assert.equal(await page.locator(`#${name}`).count(), 1, name);
  assert.equal(await page.locator(".badge").textContent(), "sandbox");
  await page.fill("#token", TOKEN);
  await page.click("#submitProof > summary");
  await page.click("#submitProof button");
  const output = page.locator("#submitProof output");
  await output.filter({ hasText: "external_id" }).waitFor();
  const shown = (await output.textContent()) ?? "";
  assert.match(shown, /^202 /);
  assert.match(shown, /x-cairn-environment: sandbox/);
  await page.click("#listProofs > summary");
  await page.fill("#listProofs input[data-name=limit]", "0");
  await page.click("#listProofs button");
  await page.locator("#listProofs output").filter({ hasText: "invalid-query" }).waitFor();
  assert.ok(asked.length >= 3);
  for (const url of asked) assert.ok(url.startsWith(`${service.url}/`), url);
  const favicon = (text: string): boolean => /favicon|404|400/.test(text);
  assert.deepEqual(
    complaints.filter((text) => !favicon(text)),
    [],
  );
});
