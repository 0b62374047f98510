/** Writing HTML without letting text become markup. */

/** Markup that is safe to stand in a page. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as markup. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/** A template whose values are text, unless they are markup themselves; lists stand one after the other. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const filled = parts.map((part, at) => part + (at < values.length ? markup(values[at] ?? "") : ""));
  return { html: filled.join("") };
}

function markup(value: string | number | Html | readonly Html[]): string {
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return "html" in value ? value.html : value.map((item) => item.html).join("");
}

/** Text with `code` marked as such. */
export function prose(text: string): Html {
  const parts = text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)));
  return { html: parts.join("") };
}
