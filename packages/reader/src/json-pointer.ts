/** JSON Pointers (RFC 6901) into decoded answers. */

/** The value at a pointer; undefined when there is none. The empty pointer is the whole. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  let here = value;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[key];
  }
  return here;
}

/** Whether a text is a pointer. */
export function isPointer(text: string): boolean {
  return text === "" || (/^(\/([^/~]|~[01])*)+$/.test(text) && text.length <= 256);
}
