/**
 * Where in the text of a configuration something stands, for the operator who has to mend it: parsers tell values, not
 * lines. Owns no validation.
 */

/** A key stands at a line's beginning, or after what JSON has before it; not in a comment. */
function keyPattern(key: string, end: string): RegExp {
  return new RegExp(`(?:^|[{,])\\s*"?${key}"?\\s*[=:]${end}`, "m");
}

/** The line of a top-level key, from 1; undefined when it is not found. */
export function lineOfKey(text: string, key: string): number | undefined {
  const found = keyPattern(key, "").exec(text);
  return found === null ? undefined : lineAt(text, found.index + found[0].search(/["\w]/));
}

/** The line on which element `index` of the list `key` begins, from 1; undefined when it is not found. */
export function lineOfElement(text: string, key: string, index: number): number | undefined {
  const list = keyPattern(key, "\\s*\\[").exec(text);
  if (list === null) return undefined;
  let depth = 0;
  let element = 0;
  for (let at = list.index + list[0].length; at < text.length; ) {
    const token = tokenAt(text, at);
    const isElement = depth === 0 && !/^[\s,#\]]/.test(token);
    if (isElement && element === index) return lineAt(text, at);
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    else if (token === "," && depth === 0) element += 1;
    if (depth < 0) return undefined;
    at += token.length;
  }
  return undefined;
}

/** Strings (of TOML and of JSON), comments, white space, or one character. */
const TOKEN = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|\s+|[\s\S]/y;

function tokenAt(text: string, at: number): string {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0] ?? " ";
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

const JSON_TOKEN =
  /\s+|[{}[\],:]|"(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The line of the first fault of a text that is no JSON, from 1. The parser's own message would quote the text. */
export function lineOfJsonFault(text: string): number {
  // What may come next: a value, a key, a colon, or a comma or an end.
  const open: ("[" | "{")[] = [];
  let wants: Wants = "value";
  for (let at = 0; at < text.length; ) {
    JSON_TOKEN.lastIndex = at;
    const token = JSON_TOKEN.exec(text)?.[0];
    if (token === undefined) return lineAt(text, at);
    const next: Wants | undefined = /^\s/.test(token) ? wants : follows(token, wants, open);
    if (next === undefined) return lineAt(text, at);
    wants = next;
    at += token.length;
  }
  return lineAt(text, text.length);
}

type Wants = "value" | "first" | "key" | "first key" | ":" | ",";

/** What may follow a token; undefined when the token itself may not stand there. `open` follows the nesting. */
function follows(token: string, wants: Wants, open: ("[" | "{")[]): Wants | undefined {
  const inside = open.at(-1);
  const closes = (token === "]" && inside === "[") || (token === "}" && inside === "{");
  if (closes && (wants === "," || wants === "first" || wants === "first key")) {
    open.pop();
    return ",";
  }
  if (wants === ":") return token === ":" ? "value" : undefined;
  if (wants === ",") return token !== "," || inside === undefined ? undefined : inside === "{" ? "key" : "value";
  if (wants === "key" || wants === "first key") return token.startsWith('"') ? ":" : undefined;
  if (token === "{" || token === "[") {
    open.push(token);
    return token === "{" ? "first key" : "first";
  }
  return /^[\]},:]/.test(token) ? undefined : ",";
}
