/** Times and dates in queries, parsed as Go's `time.Parse` does, with its error texts. */

/** Thrown for text that is no time; the message is Go's. */
export class GoTimeError extends Error {}

interface Part {
  readonly name: string;
  readonly pattern: RegExp;
}

const DATE: readonly Part[] = [
  { name: "2006", pattern: /^\d{4}/ },
  { name: "-", pattern: /^-/ },
  { name: "01", pattern: /^\d{2}/ },
  { name: "-", pattern: /^-/ },
  { name: "02", pattern: /^\d{2}/ },
];
const TIME: readonly Part[] = [
  ...DATE,
  { name: "T", pattern: /^T/ },
  { name: "15", pattern: /^\d{2}/ },
  { name: ":", pattern: /^:/ },
  { name: "04", pattern: /^\d{2}/ },
  { name: ":", pattern: /^:/ },
  { name: "05", pattern: /^\d{2}(?:[.,]\d+)?/ },
  { name: "Z07:00", pattern: /^(?:Z|[+-]\d{2}:\d{2})/ },
];
const DATE_LAYOUT = "2006-01-02";
const TIME_LAYOUT = "2006-01-02T15:04:05Z07:00";

function outOfRange(text: string, what: string): GoTimeError {
  return new GoTimeError(`parsing time ${JSON.stringify(text)}: ${what} out of range`);
}

function partsOf(text: string, layout: string, parts: readonly Part[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let rest = text;
  for (const { name, pattern } of parts) {
    const match = pattern.exec(rest)?.[0];
    if (match === undefined) {
      const where = `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
      throw new GoTimeError(`parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: ${where}`);
    }
    found.set(name, match);
    rest = rest.slice(match.length);
  }
  if (rest !== "") throw new GoTimeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
  return found;
}

function checkRanges(text: string, parts: ReadonlyMap<string, string>): void {
  const number = (name: string): number => Number.parseInt(parts.get(name) ?? "1", 10);
  const [month, day] = [number("01"), number("02")];
  if (month < 1 || month > 12) throw outOfRange(text, "month");
  if (number("15") > 23) throw outOfRange(text, "hour");
  if (number("04") > 59) throw outOfRange(text, "minute");
  if (number("05") > 59) throw outOfRange(text, "second");
  const last = new Date(Date.UTC(number("2006"), month, 0)).getUTCDate();
  if (day < 1 || day > last) throw outOfRange(text, "day");
}

/** Milliseconds since 1970 of an RFC 3339 time, with its fraction. Throws {@link GoTimeError}. */
export function parseGoTime(text: string): number {
  const parts = partsOf(text, TIME_LAYOUT, TIME);
  checkRanges(text, parts);
  const [whole = "", fraction = ""] = (parts.get("05") ?? "").split(/[.,]/);
  const head = `${parts.get("2006")}-${parts.get("01")}-${parts.get("02")}T${parts.get("15")}:${parts.get("04")}`;
  return Date.parse(`${head}:${whole}${parts.get("Z07:00")}`) + Number(`0.${fraction || "0"}`) * 1000;
}

/** Milliseconds since 1970 of a date `yyyy-mm-dd` at midnight UTC. Throws {@link GoTimeError}. */
export function parseGoDate(text: string): number {
  checkRanges(text, partsOf(text, DATE_LAYOUT, DATE));
  return Date.parse(`${text}T00:00:00Z`);
}
