/** How long the functions of a source are. */
import ts from "typescript";

/** A function with a body: where it begins (from 1) and its own lines. */
export interface FunctionLength {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Node };

function isFunction(node: ts.Node): node is WithBody {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

function nameOf(node: WithBody, source: ts.SourceFile): string {
  if (node.name !== undefined) return node.name.getText(source);
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText(source);
  const title = ts.isCallExpression(parent) ? parent.arguments[0] : undefined;
  return title !== undefined && ts.isStringLiteralLike(title) ? title.text : "a callback";
}

/** The functions of a TypeScript source. What a function contains of other functions is theirs, but for one line each. */
export function functionsOf(path: string, text: string): readonly FunctionLength[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const span = (node: ts.Node): number => lineOf(node.getEnd()) - lineOf(node.getStart(source));
  const found: FunctionLength[] = [];
  /** Lines of the functions directly inside a node. */
  const inside = (node: ts.Node): number => {
    let lines = 0;
    ts.forEachChild(node, (child) => {
      const within = inside(child);
      if (isFunction(child)) {
        const line = lineOf(child.getStart(source)) + 1;
        found.push({ name: nameOf(child, source), line, lines: span(child) + 1 - within });
        lines += span(child);
      } else lines += within;
    });
    return lines;
  };
  inside(source);
  return found;
}

/** The functions of a Rust source as rustfmt writes it: a body ends at the brace under its `fn`. */
export function rustFunctionsOf(text: string): readonly FunctionLength[] {
  const lines = text.split("\n");
  return lines.flatMap((line, from) => {
    const [, indent, name] = /^(\s*)(?:[a-z()]+ )*fn (\w+)/.exec(line) ?? [];
    if (indent === undefined || name === undefined || line.endsWith("}")) return [];
    const length =
      lines
        .slice(from)
        .findIndex((each) => each === `${indent}}` || (each.endsWith(";") && !each.startsWith(`${indent} `))) + 1;
    return [{ name, line: from + 1, lines: length }];
  });
}
