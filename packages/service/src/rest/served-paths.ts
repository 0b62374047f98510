/** Which methods a path is served for: what an answer to another method names. */

/** The paths of a server. */
export interface ServedPaths {
  /** `path` as in the route table, parameters in braces. */
  add(method: string, path: string): void;
  /** Methods that the path of a request's URL is served for; empty: there is no such path. */
  methodsOf(url: string): readonly string[];
}

/** Makes an empty list. */
export function createServedPaths(): ServedPaths {
  const served = new Map<string, { readonly pattern: RegExp; readonly methods: string[] }>();
  return {
    add: (method, path) => {
      const known = served.get(path) ?? { pattern: patternOf(path), methods: [] };
      // Whoever may GET may ask for the head alone.
      known.methods.push(...(method === "GET" ? ["GET", "HEAD"] : [method]));
      served.set(path, known);
    },
    methodsOf: (url) => {
      const [path = ""] = url.split(/[?#]/, 1);
      return [...served.values()].find(({ pattern }) => pattern.test(path))?.methods ?? [];
    },
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}
