/** `GET /docs`: the interface as a page. */
import { renderDocsPage } from "../docs/page.ts";
import type { RestContext, RestHandler } from "./context.ts";

/** The page, made once. */
export function docsPage(context: RestContext): RestHandler {
  const page = renderDocsPage(context.environment, context.version);
  return async ({ reply }) => {
    reply.type("text/html; charset=utf-8").headers({
      "content-security-policy": page.contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    return page.html;
  };
}
