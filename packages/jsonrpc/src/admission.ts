/**
 * Owns who may speak to the server: Host (against DNS rebinding) and Origin (against web pages). A request without an
 * Origin is no web page's. Browser extensions act under permissions of their own and are let through without CORS.
 */

/** Origins (host names, or `*`) and virtual hosts (names, or `*`) that are let in; IP addresses always are as hosts. */
export interface AdmissionRules {
  readonly origins: readonly string[];
  readonly vhosts: readonly string[];
}

function hostName(host: string): string {
  if (host.startsWith("[")) return host.slice(1, host.indexOf("]"));
  const colon = host.indexOf(":");
  return (colon < 0 ? host : host.slice(0, colon)).toLowerCase();
}

function isIpAddress(name: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) || (name.includes(":") && /^[0-9a-fA-F:.%]+$/.test(name));
}

/** Whether the Host header names this server. */
export function isHostAllowed(host: string | undefined, rules: AdmissionRules): boolean {
  if (host === undefined || host === "" || rules.vhosts.includes("*")) return true;
  const name = hostName(host);
  return isIpAddress(name) || rules.vhosts.includes(name);
}

/** What an Origin header means: no page (`none`), a page let in (`allowed`), an extension, or a page refused. */
export type OriginClass = "none" | "allowed" | "extension" | "refused";

/** Classifies an Origin header by its host name; a rule may also be a full origin. */
export function classifyOrigin(origin: string | undefined, rules: AdmissionRules): OriginClass {
  if (origin === undefined || origin === "") return "none";
  if (rules.origins.includes("*") || rules.origins.includes(origin)) return "allowed";
  if (!URL.canParse(origin)) return "refused";
  const url = new URL(origin);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return /^[a-z]+-extension:$/.test(url.protocol) ? "extension" : "refused";
  }
  return rules.origins.includes(hostName(url.host)) ? "allowed" : "refused";
}
