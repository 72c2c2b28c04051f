/** Measures functions: lines, parameters, and nesting depth of conditions and loops. Pure. */
import type { Node } from "web-tree-sitter";

export interface FunctionFacts {
  readonly name: string;
  /** Where it begins, in code units. */
  readonly start: number;
  readonly lines: number;
  readonly parameters: number;
  /** Nesting depth; 0: no condition or loop. Inner functions do not count. */
  readonly nesting: number;
}

export interface FunctionNode {
  readonly node: Node;
  readonly name: string;
}

const NESTING =
  /^(?:(?:if|for|for_in|foreach|for_each|enhanced_for|for_range|while|do|do_while|switch|match|try|with|loop|select|unless|until|repeat|guard)(?:_statement|_expression|_modifier)?|c_style_for_statement|expression_switch_statement|type_switch_statement)$/;
/** Nodes of a parameter list that are not arguments of a caller. */
const NO_PARAMETER = /comment|self|receiver/;
const NO_WORD: readonly string[] = ["self", "cls", "void", "this"];

/** The measures of each function, without duplicates. */
export function functionFacts(found: readonly FunctionNode[]): readonly FunctionFacts[] {
  const ids = new Set(found.map(({ node }) => node.id));
  const seen = new Set<number>();
  return found.flatMap(({ node, name }) => {
    if (seen.has(node.startIndex)) return [];
    seen.add(node.startIndex);
    return [{
      name,
      start: node.startIndex,
      lines: node.endPosition.row - node.startPosition.row + 1,
      parameters: parametersOf(node),
      nesting: nestingOf(node, ids),
    }];
  });
}

function parametersOf(node: Node): number {
  let at: Node | null = node;
  while (at !== null) {
    const list: Node | null = at.childForFieldName("parameters");
    if (list !== null) {
      return list.namedChildren.filter((one) =>
        one !== null && !NO_PARAMETER.test(one.type) && !NO_WORD.includes(one.text)
      ).length;
    }
    at = at.childForFieldName("declarator") ?? at.childForFieldName("value");
  }
  return 0;
}

/** Without recursion, because a source may nest without bound. */
function nestingOf(root: Node, functions: ReadonlySet<number>): number {
  let deepest = 0;
  const waiting: { readonly node: Node; readonly depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    deepest = Math.max(deepest, depth);
    for (const child of node.namedChildren) {
      if (child === null || functions.has(child.id)) continue;
      waiting.push({ node: child, depth: depth + (NESTING.test(child.type) && !isElseIf(child) ? 1 : 0) });
    }
  }
  return deepest;
}

/** A chain of conditions does not count as nesting. */
function isElseIf(node: Node): boolean {
  const { parent } = node;
  if (parent === null || !/^if_|^if$/.test(node.type)) return false;
  return /^else/.test(parent.type) || parent.childForFieldName("alternative")?.id === node.id;
}
