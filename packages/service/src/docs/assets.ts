/** Style and script of the documentation page. They stand in the page itself: nothing is fetched from elsewhere. */

/** Style. The environments do not look alike. */
export const STYLE = `
:root { color-scheme: light dark; --edge: #8884; --sandbox: #b35900; --production: #0b6b3a; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 0 1rem 4rem; }
header { border-bottom: 4px solid var(--edge); margin-bottom: 1rem; }
.sandbox header { border-color: var(--sandbox); } .production header { border-color: var(--production); }
.badge { border-radius: 4px; color: #fff; padding: .1rem .5rem; }
.sandbox .badge { background: var(--sandbox); } .production .badge { background: var(--production); }
code, pre, textarea, .path { font-family: ui-monospace, monospace; font-size: 13px; }
pre { background: #8881; overflow: auto; padding: .5rem; max-height: 24rem; }
details { border: 1px solid var(--edge); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } .method { display: inline-block; font-weight: 700; min-width: 4.5rem; }
table { border-collapse: collapse; width: 100%; } td, th { border-top: 1px solid var(--edge); padding: .25rem .5rem;
  text-align: left; vertical-align: top; }
form { border-top: 1px solid var(--edge); display: grid; gap: .4rem; margin-top: .5rem; padding-top: .5rem; }
label { display: grid; grid-template-columns: 14rem 1fr; } input, textarea { width: 100%; box-sizing: border-box; }
textarea { min-height: 8rem; } button { justify-self: start; padding: .3rem 1rem; }
`;

/** Script: sends what a form says with the token from the top of the page, which is kept nowhere. */
export const SCRIPT = `
"use strict";
const token = document.getElementById("token");
const shown = (status, headers, text) => {
  let body = text;
  try { body = JSON.stringify(JSON.parse(text), null, 2); } catch {}
  return [status, ...[...headers].map(([name, value]) => name + ": " + value), "", body].join("\\n");
};
async function send(form) {
  const fields = [...form.querySelectorAll("[data-in]")].filter((field) => field.value !== "");
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const field of fields) {
    const { in: place, name } = field.dataset;
    if (place === "path") path = path.replace("{" + name + "}", encodeURIComponent(field.value));
    if (place === "query") query.append(name, field.value);
    if (place === "header") headers.set(name, field.value);
  }
  if (form.dataset.token === "yes" && token.value !== "") headers.set("authorization", "Bearer " + token.value);
  const body = form.querySelector("textarea");
  if (body !== null) headers.set("content-type", "application/json");
  const init = { method: form.dataset.method, headers, body: body === null ? undefined : body.value, redirect: "error" };
  const text = query.toString();
  const response = await fetch(text === "" ? path : path + "?" + text, init);
  return shown(response.status + " " + response.statusText, response.headers, await response.text());
}
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector("output");
  output.textContent = "…";
  try { output.textContent = await send(form); } catch (error) { output.textContent = String(error); }
});
`;
