/** The page that lists the routes of the consensus RPC. */
import type { Route } from "./routes.ts";

/** Printable characters of a Host header that cannot leave an attribute. */
function safeHost(host: string): string {
  return host.replace(/[^A-Za-z0-9.:[\]-]/g, "");
}

/** The page on `GET /`: one link per route, in CometBFT's shape. */
export function indexPage(host: string, routes: Readonly<Record<string, Route>>): string {
  const links = Object.keys(routes)
    .sort()
    .map((name) => {
      const query = (routes[name]?.args ?? []).map((spec) => `${spec.name}=_`).join("&");
      const link = `//${safeHost(host)}/${name}?${query}`;
      return `<a href="${link}">${link}</a></br>`;
    });
  const title = "<br>Available endpoints:<br><br>Endpoints that require arguments:<br>";
  return `<html><body>${title}${links.join("")}</body></html>`;
}
