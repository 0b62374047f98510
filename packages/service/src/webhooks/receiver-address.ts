/**
 * Where a webhook may lead: which URLs and which addresses. Addresses are judged after resolution, and the connection
 * goes to the address that was judged (no second look-up that could answer differently).
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** `public`: production. `loopback`: the sandbox, which also takes `http` and receivers on this machine. */
export type ReceiverRule = "public" | "loopback";

/** The name leads to an address where no webhook may lead. */
export class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
}

/** IANA's special-purpose registries: nothing of this is a receiver on the internet. */
const SPECIAL: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL) special.addSubnet(network, prefix, isIP(network) === 6 ? "ipv6" : "ipv4");
const unicast = new BlockList();
unicast.addSubnet("2000::", 3, "ipv6");
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** May a webhook lead to this address? Of IPv6 only global unicast counts as public, no embedded IPv4. */
export function isAllowedAddress(rule: ReceiverRule, address: string): boolean {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (rule === "loopback" && loopback.check(address, family)) return true;
  if (isIP(address) === 0 || special.check(address, family)) return false;
  return family === "ipv4" || unicast.check(address, family);
}

/** What is wrong with a URL; undefined: nothing that can be seen without resolving its name. */
export function urlFault(rule: ReceiverRule, text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || /[\s\\]/.test(text)) return "is no URL";
  const schemes = rule === "public" ? ["https:"] : ["https:", "http:"];
  if (!schemes.includes(url.protocol)) return `must begin with ${schemes.map((s) => `${s}//`).join(" or ")}`;
  if (url.username !== "" || url.password !== "") return "must not carry credentials";
  if (url.hash !== "") return "must not have a fragment";
  const host = literalHost(url);
  if (host !== undefined && !isAllowedAddress(rule, host)) return "leads to a private or special address";
  const isLocalName = /(?:^|\.)localhost\.?$/.test(url.hostname);
  if (isLocalName && rule === "public") return "leads to a private or special address";
  return undefined;
}

/** The address a URL names directly; undefined for a name. */
export function literalHost(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) === 0 ? undefined : host;
}

/** Resolves a name; all its addresses must be allowed. For `lookup` of a connection. */
export function checkedLookup(rule: ReceiverRule, resolve: typeof dnsLookup = dnsLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses: readonly LookupAddress[] = error === null ? found : [];
      const refused = addresses.some(({ address }) => !isAllowedAddress(rule, address));
      const [first] = addresses;
      const fault = error ?? (refused || first === undefined ? new RefusedAddressError("refused") : null);
      if (fault !== null || first === undefined) return callback(fault, "", 0);
      if (options.all === true) return callback(null, [...addresses]);
      return callback(null, first.address, first.family);
    });
  };
}
