/** Keeps what was sent as secret out of what a stranger answers. */

/** Where calls go, and the header that authorises them. */
export interface EndpointAddress {
  readonly url: string;
  readonly auth: { readonly header: string; readonly value: string } | undefined;
}

/** Shorter words are no secrets, and cutting them out would garble every text. */
const SHORTEST_SECRET = 6;

/** What of an endpoint must not come back in its own error texts: token, credentials, path and query of the URL. */
export function secretsOf({ url, auth }: EndpointAddress): readonly string[] {
  const { username, password, pathname, search } = new URL(url);
  const words = [auth?.value ?? "", ...(auth?.value.split(" ").slice(1) ?? []), username, password, search];
  return [...words, ...words.map(decoded), ...pathname.split("/"), ...search.split(/[?&=]/)].filter(
    (word) => word.length >= SHORTEST_SECRET,
  );
}

/** The headers that authorise a call: the token's, else the URL's credentials as Basic. */
export function authHeaders({ url, auth }: EndpointAddress): Record<string, string> {
  if (auth !== undefined) return { [auth.header]: auth.value };
  const { username, password } = new URL(url);
  if (username === "" && password === "") return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` };
}

/** A stranger's error text for our logs: one line, bounded, without what we sent as secret. */
export function quoted(message: unknown, secrets: readonly string[]): string {
  if (typeof message !== "string") return "no reason given";
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const told = longestFirst.reduce((text, secret) => text.replaceAll(secret, "***"), message.slice(0, 4_096));
  // Control, format (direction marks) and separator characters, and halves of pairs, would garble a terminal or a log.
  return [...told.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")].slice(0, 200).join("");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
