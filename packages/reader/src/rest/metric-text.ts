/** Prometheus' text format: families of samples, one per subject. */

/** A family without its samples. */
export interface Named {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
}

/** A family and how a subject's sample is found; undefined: it has none. */
export interface Family<T> extends Named {
  readonly value: (subject: T) => bigint | number | undefined;
}

/** A value that goes up and down. */
export function gauge<T>(name: string, help: string, value: Family<T>["value"]): Family<T> {
  return { name: `cairn_reader_${name}`, help, type: "gauge", value };
}

/** A value that only grows. */
export function counter<T>(name: string, help: string, value: Family<T>["value"]): Family<T> {
  return { name: `cairn_reader_${name}`, help, type: "counter", value };
}

/** One sample per subject that has one. */
export function renderFamily<T>(
  family: Family<T>,
  subjects: readonly T[],
  labels: (subject: T) => Readonly<Record<string, string>>,
): string {
  const samples = subjects.flatMap((subject) => {
    const value = family.value(subject);
    return value === undefined ? [] : [sample(family.name, labels(subject), value)];
  });
  return renderSamples(family, samples);
}

/** One line of a family. Label values hold no quotes or backslashes: names and hosts are checked at load. */
export function sample(name: string, labels: Readonly<Record<string, string>>, value: bigint | number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
  return pairs.length === 0 ? `${name} ${value}` : `${name}{${pairs.join(",")}} ${value}`;
}

/** A family's head and its lines. */
export function renderSamples(family: Named, samples: readonly string[]): string {
  const head = [`# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`];
  return [...head, ...samples, ""].join("\n");
}
