/** Lines and columns of diagnostics, by a parser that is loaded only for faulty files. It also sees double keys. */
import { attempt } from "../../base/errors.ts";
import type { Node, ParseError } from "jsonc-parser";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { firstDiagnostics, MOST_DIAGNOSTICS, pointerOf, type UnplacedDiagnostic } from "../format/diagnostic.ts";

type Jsonc = typeof import("jsonc-parser");

/** What to say about a key that is given twice; `texts` are the JSON of two of its values. */
type OfRepeated = (path: UnplacedDiagnostic["path"], texts: readonly [string, string]) => UnplacedDiagnostic;

/** The same diagnostics with their places in `text` of `file`, and one, by `ofRepeated`, for each key given twice. */
export async function placeDiagnostics(
  file: string,
  text: string,
  diagnostics: readonly UnplacedDiagnostic[],
  ofRepeated: OfRepeated = repeated,
): Promise<readonly Diagnostic[]> {
  const jsonc = await import("jsonc-parser");
  const root = treeOf(jsonc, text, []);
  const textOf = ({ offset, length }: Node) => text.slice(offset, offset + length);
  const twice = repeatedKeys(root, (path, [one, other]) => ofRepeated(path, [textOf(one), textOf(other)]));
  return firstDiagnostics([...diagnostics, ...twice]).map((diagnostic) => ({
    severity: diagnostic.severity,
    file,
    // A file may contain halves of surrogate pairs, but messages about them go to clients that refuse those.
    pointer: pointerOf(diagnostic.path).toWellFormed(),
    ...placeOf(text, root && offsetOf(jsonc, root, diagnostic)),
    message: diagnostic.message.toWellFormed(),
  }));
}

/** What is known of a text that is not JSON. */
export interface SyntaxFacts {
  /** The cause, where the parser with positions finds none. */
  readonly fallback: string;
  /** Whether comments and trailing commas are allowed; absent: they are mistakes. */
  readonly comments?: true;
}

/** The first syntax error of a text that is not JSON. */
export async function syntaxErrorOf(
  file: string,
  text: string,
  { fallback, comments }: SyntaxFacts,
): Promise<Diagnostic> {
  const jsonc = await import("jsonc-parser");
  const errors: ParseError[] = [];
  treeOf(jsonc, text, errors, comments);
  const first = errors[0];
  const cause = first === undefined ? fallback : wordsOf(jsonc.printParseErrorCode(first.error));
  const message = `The file is not valid JSON: ${cause}: correct it there, the file is left out until then`;
  return { severity: "error", file, pointer: "", ...placeOf(text, first?.offset), message };
}

function treeOf(jsonc: Jsonc, text: string, errors: ParseError[], comments = false): Node | undefined {
  const options = { disallowComments: !comments, allowTrailingComma: comments };
  // The parser recurses, so a text nested a hundred thousand deep overflows it: no place is known then.
  return attempt(RangeError, () => jsonc.parseTree(text, errors, options));
}

/** The position of the value, of its key, or of the nearest enclosing object that exists. */
function offsetOf(jsonc: Jsonc, root: Node, diagnostic: UnplacedDiagnostic): number {
  for (let length = diagnostic.path.length; length > 0; length--) {
    const node = jsonc.findNodeAtLocation(root, diagnostic.path.slice(0, length));
    if (node === undefined) continue;
    const whole = length === diagnostic.path.length;
    return whole && diagnostic.at === "key" ? node.parent?.offset ?? node.offset : node.offset;
  }
  return root.offset;
}

function placeOf(text: string, offset: number | undefined): { readonly line: number; readonly column: number } {
  if (offset === undefined) return { line: 0, column: 0 };
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

function repeatedKeys(
  root: Node | undefined,
  say: (path: UnplacedDiagnostic["path"], values: readonly [Node, Node]) => UnplacedDiagnostic,
): readonly UnplacedDiagnostic[] {
  const diagnostics: UnplacedDiagnostic[] = [];
  const waiting: { readonly node: Node; readonly path: readonly (string | number)[] }[] = [];
  if (root !== undefined) waiting.push({ node: root, path: [] });
  for (let next = waiting.pop(); next !== undefined && diagnostics.length <= MOST_DIAGNOSTICS; next = waiting.pop()) {
    const { node, path } = next;
    const seen = new Map<string, Node>();
    for (const [index, child] of (node.children ?? []).entries()) {
      const key: string | number = node.type === "object" ? String(child.children?.[0]?.value) : index;
      const value = node.type === "object" ? child.children?.[1] : child;
      if (value === undefined) continue;
      const before = typeof key === "string" ? seen.get(key) : undefined;
      if (before !== undefined && diagnostics.length <= MOST_DIAGNOSTICS) {
        diagnostics.push(say([...path, key], [before, value]));
      }
      if (typeof key === "string") seen.set(key, value);
      waiting.push({ node: value, path: [...path, key] });
    }
  }
  return diagnostics;
}

function repeated(path: readonly (string | number)[]): UnplacedDiagnostic {
  const message = `Field "${path.at(-1)}" is given more than once, and only the last one counts: remove the others`;
  return { severity: "warning", path, at: "key", message };
}

/** `CommaExpected` becomes `comma expected`. */
function wordsOf(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
