import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { problems, type Route, restRoutes } from "@cairn/api";
import fc from "fast-check";
import { escapeHtml, html, prose } from "./html.ts";
import { renderDocsPage } from "./page.ts";

test("text never becomes markup", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const shown of [escapeHtml(text), html`${text}`.html, prose(text).html.replaceAll(/<\/?code>/g, "")]) {
        assert.doesNotMatch(shown, /[<>"']/);
      }
    }),
  );
  assert.equal(html`<b>${[html`<i>${"<"}</i>`]}</b>`.html, "<b><i>&lt;</i></b>");
});

test("the page names everything, links nowhere else, and its policy fits its style and script", () => {
  const page = renderDocsPage("production", "1.2.3");
  for (const [name, route] of Object.entries<Route>(restRoutes)) {
    if (route.environment !== undefined) {
      assert.ok(!page.html.includes(name), name);
      assert.ok(renderDocsPage("sandbox", "1.2.3").html.includes(`<details id="${name}">`), name);
      continue;
    }
    assert.ok(page.html.includes(`<details id="${name}">`), name);
    assert.ok(page.html.includes(`data-path="${route.path}" data-method="${route.method}"`), name);
  }
  for (const code of Object.keys(problems)) assert.ok(page.html.includes(`<code>${code}</code>`), code);
  assert.match(page.html, /<body class="production">/);
  assert.match(page.html, /<span class="badge">production<\/span>/);
  assert.doesNotMatch(page.html, /\s(?:src|action|style|on\w+)=/);
  const links = [...page.html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
  assert.deepEqual(links, ["/openapi.json"]);
  for (const tag of ["style", "script"]) {
    const [, text = ""] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page.html) ?? [];
    const hash = createHash("sha256").update(text).digest("base64");
    assert.ok(page.contentSecurityPolicy.includes(`${tag}-src 'sha256-${hash}'`), tag);
  }
  assert.match(page.contentSecurityPolicy, /^default-src 'none';/);
});
