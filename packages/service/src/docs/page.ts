/** The interface as one page that works offline, from the same table as the OpenAPI document. */
import { createHash } from "node:crypto";
import { type Environment, openApi, problems, rejections } from "@cairn/api";
import { SCRIPT, STYLE } from "./assets.ts";
import { type Html, html, prose } from "./html.ts";

/** The page and the policy it is served with. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required: boolean;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
}
interface Document {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  submitProof: {
    proof_data: '{"system":"commitment","encoding":"hex","proof":"0x01"}',
    chain_id: "docs",
    external_id: "tried from the documentation page",
  },
  submitProofs: {
    items: [{ proof_data: '{"system":"commitment","encoding":"hex","proof":"0x02"}', chain_id: "docs" }],
  },
  verify: { proof_data: '{"system":"commitment","encoding":"hex","proof":"0x01"}' },
  createWebhook: { url: "http://127.0.0.1:3000/hook", events: ["submission.settled", "submission.rejected"] },
  replayWebhook: { dead: true },
};

/** Renders the page of an environment. */
export function renderDocsPage(environment: Environment, version: string): DocsPage {
  const document = openApi(environment) as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(path, method.toUpperCase(), operation)),
  );
  const { html: body } = html`<header>
<h1>${document.info.title} <span class="badge">${environment}</span></h1>
<p>Version ${version}. <a href="/openapi.json">OpenAPI 3.1</a></p></header>
${document.info.description.split("\n\n").map((text) => html`<p>${prose(text)}</p>`)}
<label>Token for trying <input id="token" type="password" autocomplete="off" spellcheck="false"></label>
<main><h2>Routes</h2>${operations}
${table(
  "Problems",
  ["code", "status", "meaning"],
  Object.entries(problems).map(([code, p]) => [code, String(p.status), p.description]),
)}
${table("Rejections", ["code", "meaning"], Object.entries(rejections))}</main>`;
  const page =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Cairn (${environment})</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>` +
    `<body class="${environment === "production" ? "production" : "sandbox"}">${body}<script>${SCRIPT}</script></body></html>`;
  return { html: page, contentSecurityPolicy: policy() };
}

/** Nothing but the page's own style and script, and calls to the service it came from. */
function policy(): string {
  return [
    "default-src 'none'",
    `style-src '${digest(STYLE)}'`,
    `script-src '${digest(SCRIPT)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function section(path: string, method: string, operation: Operation): Html {
  const needsToken = operation.security.length > 0;
  const answers = Object.entries(operation.responses);
  return html`<details id="${operation.operationId}"><summary><span class="method">${method}</span>
<span class="path">${path}</span></summary>
<p>${prose(operation.summary)} ${needsToken ? "Needs a token." : "Public."}</p>
${operation.requestBody === undefined ? [] : [schema("Body", operation.requestBody)]}
<table><tr><th>answer</th><th>meaning</th></tr>
${answers.map(([status, answer]) => html`<tr><td>${status}</td><td>${prose(answer.description)}</td></tr>`)}</table>
${answers.filter(([status]) => status.startsWith("2")).map(([status, answer]) => schema(`Answer ${status}`, answer))}
${form(path, method, operation, needsToken)}</details>`;
}

function schema(title: string, { content }: Content): Html {
  const [first] = Object.entries(content ?? {});
  if (first?.[1].schema === undefined) return html``;
  return html`<details><summary>${title}: ${first[0]}</summary><pre>${JSON.stringify(first[1].schema, null, 2)}</pre></details>`;
}

function form(path: string, method: string, operation: Operation, needsToken: boolean): Html {
  const example = JSON.stringify(EXAMPLES[operation.operationId] ?? {}, null, 2);
  const body = operation.requestBody === undefined ? [] : [html`<textarea spellcheck="false">${example}</textarea>`];
  return html`<form data-path="${path}" data-method="${method}" data-token="${needsToken ? "yes" : "no"}">
${operation.parameters.map(input)}${body}<button>Send</button><pre><output></output></pre></form>`;
}

function input(of: Parameter): Html {
  return html`<label><span>${of.in} <code>${of.name}</code></span>
<span><input data-in="${of.in}" data-name="${of.name}" autocomplete="off" spellcheck="false">
<small>${prose(of.description)}</small></span></label>`;
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<h2>${title}</h2><table><tr>${head.map((name) => html`<th>${name}</th>`)}</tr>
${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td>${at === 0 ? html`<code>${cell}</code>` : prose(cell)}</td>`)}</tr>`)}</table>`;
}
