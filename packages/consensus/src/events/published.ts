/**
 * One event as it is published: its kind, its attributes, its JSON. Attributes and JSON are made when somebody looks,
 * once for all who do.
 */
import type { AbciEvent } from "@cairn/abci";
import type { Tags } from "./query-match.ts";

/** An event on the bus. */
export interface Published {
  /** Value of `tm.event`. */
  readonly kind: string;
  /** Attributes that queries are matched with. */
  tags(): Tags;
  /** The members `data` and `events` of a push, as JSON text without the braces around them. */
  body(): string;
}

/** Parts of an event. `shown` are attributes of the push, `matched` such that only queries see. */
export interface PublishedParts {
  readonly kind: string;
  /** Type name after `tendermint/event/`; the kind by default. */
  readonly type?: string;
  /** JSON text of the event's value. */
  readonly value: () => string;
  readonly events?: () => readonly AbciEvent[];
  readonly shown?: Readonly<Record<string, string>>;
  readonly matched?: Readonly<Record<string, string>>;
}

const ESCAPES: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };

/** Go's HTML-safe escapes. */
export function escapeHtml(text: string): string {
  return text.replace(/[<>&]/g, (character) => ESCAPES[character] ?? character);
}

function flatten(parts: PublishedParts): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  for (const { type, attributes } of parts.events?.() ?? []) {
    for (const { key, value } of attributes) {
      if (type === "" || key === "") continue;
      const composite = `${type}.${key}`;
      const values = tags.get(composite);
      if (values === undefined) tags.set(composite, [value]);
      else values.push(value);
    }
  }
  for (const [key, value] of Object.entries({ "tm.event": parts.kind, ...parts.shown })) tags.set(key, [value]);
  return tags;
}

/** An event from its parts. */
export function createPublished(parts: PublishedParts): Published {
  let shown: Map<string, string[]> | undefined;
  let tags: Tags | undefined;
  let body: string | undefined;
  const shownTags = (): Map<string, string[]> => {
    shown ??= flatten(parts);
    return shown;
  };
  return {
    kind: parts.kind,
    tags: () => {
      if (tags !== undefined) return tags;
      const all = new Map<string, readonly string[]>(shownTags());
      for (const [key, value] of Object.entries(parts.matched ?? {})) all.set(key, [value]);
      tags = all;
      return tags;
    },
    body: () => {
      body ??= escapeHtml(
        `"data":{"type":"tendermint/event/${parts.type ?? parts.kind}","value":${parts.value()}},` +
          `"events":${JSON.stringify(Object.fromEntries(shownTags()))}`,
      );
      return body;
    },
  };
}
