/** What Node offers beside the language, looked up so that the same code runs in browsers. */

interface NodeProcess {
  getBuiltinModule?(name: string): unknown;
}

/** A module of Node itself; undefined elsewhere. */
export function builtinModule(name: string): unknown {
  const { process } = globalThis as { readonly process?: NodeProcess };
  return process?.getBuiltinModule?.(name);
}

interface NodeBuffer {
  write(text: string, encoding: "hex"): number;
  toString(encoding: "hex"): string;
}

/** Node's view of an array's memory, with its fast text forms; undefined elsewhere. */
export function nodeBuffer(bytes: Uint8Array): NodeBuffer | undefined {
  const { Buffer } = globalThis as {
    readonly Buffer?: { from(b: ArrayBufferLike, at: number, n: number): NodeBuffer };
  };
  return Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
