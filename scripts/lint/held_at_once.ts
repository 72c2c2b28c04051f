/** What a reader holds at once: conditions and loops inside each other, and parameters. */
import { placeInSource } from "./floors.ts";

type Rule = Deno.lint.Rule;
type Node = Deno.lint.Node;

const DEEPEST = 4;
const MOST_PARAMETERS = 5;
const NESTING = /^(?:If|For|ForIn|ForOf|While|DoWhile|Switch|Try)Statement$/;
const HOLDERS = /^(?:MethodDefinition|PropertyDefinition|VariableDeclarator)$/;

export const heldAtOnce: Rule = {
  create(context) {
    if (placeInSource(context.filename)?.endsWith("_test.ts") ?? true) return {};
    const parameters = (node: Node & { readonly params: readonly unknown[] }) => {
      if (node.params.length <= MOST_PARAMETERS) return;
      context.report({ node, message: `A function has at most ${MOST_PARAMETERS} parameters: pass an object` });
    };
    const nesting = (node: Node) => {
      if (depthOf(node) !== DEEPEST + 1) return;
      context.report({ node, message: `At most ${DEEPEST} conditions and loops lie inside each other` });
    };
    return {
      FunctionDeclaration: parameters,
      FunctionExpression: parameters,
      ArrowFunctionExpression: parameters,
      IfStatement: nesting,
      ForStatement: nesting,
      ForInStatement: nesting,
      ForOfStatement: nesting,
      WhileStatement: nesting,
      DoWhileStatement: nesting,
      SwitchStatement: nesting,
      TryStatement: nesting,
    };
  },
};

/** How deep it lies in its function, which has a name, with itself; a chain of conditions counts once. */
function depthOf(node: Node): number {
  let depth = 0;
  for (let at: Node | undefined = node; at !== undefined && !isNamedFunction(at); at = parentOf(at)) {
    if (NESTING.test(at.type) && !isElseIf(at)) depth++;
  }
  return depth;
}

/** Undefined: no statement lies around it. */
function parentOf(node: Node): Node | undefined {
  if (node.type === "Program" || !("parent" in node)) return undefined;
  return node.parent.type === "TSParameterProperty" ? undefined : node.parent;
}

function isElseIf(node: Node): boolean {
  return node.type === "IfStatement" && node.parent.type === "IfStatement" && node.parent.alternate === node;
}

/** Others are part of the function that they stand in. */
function isNamedFunction(node: Node): boolean {
  if (node.type === "FunctionDeclaration") return true;
  if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") return false;
  const { parent } = node;
  return HOLDERS.test(parent.type) || parent.type === "Property" && parent.method;
}
