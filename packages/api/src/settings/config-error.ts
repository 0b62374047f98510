/** Owns the errors of a configuration. */

/**
 * - `unreadable`: the file is missing or no TOML.
 * - `unknown-key`: no such setting; the message names the nearest.
 * - `invalid-value`: the message says what is expected.
 */
export type ConfigErrorCode = "unreadable" | "unknown-key" | "invalid-value";

/** A configuration that cannot be used; `source` is where the fault stands: a flag, a variable or a key of the file. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;
  readonly source: string;
  /** Every fault there is, this one first; the message has a line for each. */
  readonly all: readonly ConfigError[];
  constructor(
    code: ConfigErrorCode,
    source: string,
    problem: string,
    options: ErrorOptions & { readonly others?: readonly ConfigError[] } = {},
  ) {
    const { others = [], ...rest } = options;
    super([`${source}: ${problem}`, ...others.map(({ message }) => message)].join("\n"), rest);
    this.code = code;
    this.source = source;
    this.all = [this, ...others];
  }
}

/** Gathers faults, so that all of them are told at once. */
export interface ConfigFaults {
  /** What `work` gives; undefined when it throws a `ConfigError`, which is kept. */
  attempt<T>(work: () => T): T | undefined;
  readonly found: readonly ConfigError[];
  /** Throws one `ConfigError` for all there are. */
  refuse(): void;
}

/** Gathers from nothing. */
export function configFaults(): ConfigFaults {
  const found: ConfigError[] = [];
  return {
    found,
    attempt: (work) => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        found.push(...error.all);
        return undefined;
      }
    },
    refuse: () => {
      const [first, ...others] = found;
      if (first === undefined) return;
      const problem = first.message.split("\n", 1)[0]?.slice(first.source.length + 2) ?? "";
      throw new ConfigError(first.code, first.source, problem, { cause: first.cause, others });
    },
  };
}
