/** An HTTP endpoint of an operator's: its URL with user and password apart, and its answers bounded. */

/** Where to send, and what proves who sends. */
export interface HttpEndpoint {
  /** Without user and password. */
  readonly url: string;
  /** `Authorization: Basic …` (RFC 7617) where the URL had them, else nothing. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes user and password out of a URL. Throws TypeError when it is not http or https. */
export function httpEndpoint(text: string): HttpEndpoint {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError("the URL is not http or https");
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url: url.href, headers: {} };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` } };
}

/** The text of an answer; undefined when it has more than `most` bytes, of which no more are read. */
export async function boundedText(response: Response, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
