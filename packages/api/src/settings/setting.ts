/** Owns the kinds of settings: how each reads from text (flags, environment) and TOML, and how it is written. */

/** Text or value that does not fit a setting; the message says what is expected. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** One setting of the configuration. */
export interface Setting<T> {
  readonly default: T;
  /** What a value looks like, for help and reference. */
  readonly form: string;
  /** One sentence or two for the template, the help and the reference. */
  readonly doc: string;
  /** From a flag or an environment variable. Throws `SettingError`. */
  fromText(text: string): T;
  /** From a value of the file. Throws `SettingError`. */
  fromToml(value: unknown): T;
  /** As it stands in the file. */
  toToml(value: T): string;
}

type Described<T> = Pick<Setting<T>, "default" | "doc">;

function textual<T>(
  o: Described<T> & { readonly form: string; parse(text: string): T; print(value: T): string },
): Setting<T> {
  return {
    default: o.default,
    doc: o.doc,
    form: o.form,
    fromText: (text) => o.parse(text),
    fromToml(value) {
      if (typeof value !== "string") throw new SettingError(`expected a string: ${o.form}`);
      return o.parse(value);
    },
    toToml: (value) => JSON.stringify(o.print(value)),
  };
}

/** true or false. A flag without a value is true. */
export function booleanSetting(o: Described<boolean>): Setting<boolean> {
  const form = "true or false";
  return {
    ...o,
    form,
    fromText(text) {
      if (text === "true" || text === "") return true;
      if (text === "false") return false;
      throw new SettingError(`expected ${form}`);
    },
    fromToml(value) {
      if (typeof value !== "boolean") throw new SettingError(`expected ${form}`);
      return value;
    },
    toToml: String,
  };
}

/** One of some words. */
export function choiceSetting<const W extends string>(
  o: Pick<Setting<W>, "doc"> & { readonly default: NoInfer<W>; readonly words: readonly W[] },
): Setting<W> {
  const form = o.words.join(" or ");
  const parse = (text: string): W => {
    const word = o.words.find((known) => known === text);
    if (word === undefined) throw new SettingError(`expected ${form}`);
    return word;
  };
  return textual({ default: o.default, doc: o.doc, form, parse, print: (word) => word });
}

/** An integer within bounds. */
export function integerSetting(
  o: Described<number> & { readonly least: number; readonly most?: number },
): Setting<number> {
  const { least, most = Number.MAX_SAFE_INTEGER } = o;
  const form = o.most === undefined ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`;
  const check = (value: number): number => {
    if (!Number.isSafeInteger(value) || value < least || value > most) throw new SettingError(`expected ${form}`);
    return value;
  };
  return {
    default: o.default,
    doc: o.doc,
    form,
    fromText: (text) => check(/^-?\d+$/.test(text) ? Number(text) : Number.NaN),
    fromToml: (value) =>
      check(typeof value === "number" ? value : Number(typeof value === "bigint" ? value : Number.NaN)),
    toToml: String,
  };
}

/** Names, by comma in text, an array in TOML; `known` bounds them. No name twice. */
export function listSetting(
  o: Described<readonly string[]> & { readonly known?: readonly string[] },
): Setting<readonly string[]> {
  const form = o.known === undefined ? "names separated by commas" : `some of ${o.known.join(", ")}`;
  const check = (values: readonly unknown[]): readonly string[] =>
    values.map((value, index) => {
      if (typeof value !== "string" || value === "") throw new SettingError(`expected ${form}`);
      if (o.known !== undefined && !o.known.includes(value))
        throw new SettingError(`${value} is unknown; expected ${form}`);
      if (values.indexOf(value) !== index) throw new SettingError(`${value} stands twice`);
      return value;
    });
  return {
    default: o.default,
    doc: o.doc,
    form,
    fromText: (text) => check(text === "" ? [] : text.split(",").map((name) => name.trim())),
    fromToml(value) {
      if (!Array.isArray(value)) throw new SettingError("expected an array of strings");
      return check(value);
    },
    toToml: (values) => `[${values.map((value) => JSON.stringify(value)).join(", ")}]`,
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A span of time in milliseconds, written with its unit. */
export function durationSetting(o: Described<number>): Setting<number> {
  const form = "a time like 250ms, 30s, 5m or 3h";
  return textual({
    ...o,
    form,
    parse(text) {
      const [, count, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
      const unitMs = unit === undefined ? undefined : UNITS_MS[unit];
      if (count === undefined || unitMs === undefined) throw new SettingError(`expected ${form}`);
      return Number(count) * unitMs;
    },
    print(ms) {
      const unit = ["h", "m", "s"].find((name) => ms > 0 && ms % (UNITS_MS[name] ?? 1) === 0) ?? "ms";
      return `${ms / (UNITS_MS[unit] ?? 1)}${unit}`;
    },
  });
}

/** An amount in wei. */
export function weiSetting(o: Described<bigint>): Setting<bigint> {
  const form = "a decimal amount of wei";
  return textual({
    ...o,
    form,
    parse(text) {
      const [, digits] = /^(\d{1,38})(?:wei)?$/.exec(text) ?? [];
      if (digits === undefined) throw new SettingError(`expected ${form}`);
      return BigInt(digits);
    },
    print: String,
  });
}

/** An amount of the native token, held in wei and written in whole coins. */
export function coinSetting(o: Described<bigint>): Setting<bigint> {
  const form = "a decimal amount of coins";
  return textual({
    ...o,
    form,
    parse(text) {
      const [, whole, fraction = ""] = /^(\d{1,18})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
      if (whole === undefined) throw new SettingError(`expected ${form}`);
      return BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, "0"));
    },
    print(wei) {
      const fraction = String(wei % 10n ** 18n)
        .padStart(18, "0")
        .replace(/0+$/, "");
      return fraction === "" ? String(wei / 10n ** 18n) : `${wei / 10n ** 18n}.${fraction}`;
    },
  });
}

/** A text; `pattern` bounds it and `form` describes it. */
export function textSetting(
  o: Described<string> & { readonly form: string; readonly pattern: RegExp },
): Setting<string> {
  return textual({
    default: o.default,
    doc: o.doc,
    form: o.form,
    parse(text) {
      if (!o.pattern.test(text)) throw new SettingError(`expected ${o.form}`);
      return text;
    },
    print: (text) => text,
  });
}

/** An http or https URL, or nothing. */
export function urlSetting(o: Described<string>): Setting<string> {
  const form = "an http or https URL";
  return textual({ ...o, form, parse: (text) => (text === "" ? "" : parseUrl(text, form)), print: (text) => text });
}

function parseUrl(text: string, form: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw new SettingError(`expected ${form}`);
  return text;
}

/** http or https URLs, by comma in text, an array in TOML; no URL twice. */
export function urlListSetting(o: Described<readonly string[]>): Setting<readonly string[]> {
  const form = "http or https URLs separated by commas";
  const list = listSetting(o);
  const check = (urls: readonly string[]): readonly string[] => urls.map((url) => parseUrl(url, form));
  return { ...list, form, fromText: (text) => check(list.fromText(text)), fromToml: (v) => check(list.fromToml(v)) };
}

/** Host and port of a listener. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** An address to listen on; `tcp://` in front is taken and, with `scheme`, written. */
export function addressSetting(o: Described<ListenAddress> & { readonly scheme?: "tcp://" }): Setting<ListenAddress> {
  const form = `${o.scheme ?? ""}host:port`;
  return textual({
    default: o.default,
    doc: o.doc,
    form,
    parse(text) {
      const [, bracketed, plain, digits] =
        /^(?:tcp:\/\/)?(?:\[([0-9a-fA-F:]+)\]|([^:/[\]]+)):(\d{1,5})$/.exec(text) ?? [];
      const host = bracketed ?? plain;
      if (host === undefined || Number(digits) > 65_535) throw new SettingError(`expected ${form}`);
      return { host, port: Number(digits) };
    },
    print: ({ host, port }) => `${o.scheme ?? ""}${host.includes(":") ? `[${host}]` : host}:${port}`,
  });
}
