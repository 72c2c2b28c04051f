/**
 * State that tests must not change, because they share it (G1): files that run side by side share one process, and the
 * unit tests of a share one runtime.
 */
import { OWN_RUNTIME } from "../gate/own_runtime.ts";

type Rule = Deno.lint.Rule;
type Node = Deno.lint.Node;

/** Calls that change the process; those of the second group do so only with an argument. */
const PROCESS_CALLS: ReadonlySet<string> = new Set([
  ..."chdir addSignalListener removeSignalListener env.set env.delete".split(" ").map((name) => `Deno.${name}`),
  ..."chdir on once addListener prependListener removeAllListeners setuid setgid".split(" ").map((name) =>
    `process.${name}`
  ),
]);
const WITH_ARGUMENT: ReadonlySet<string> = new Set(["Deno.umask", "process.umask"]);

const GLOBALS: ReadonlySet<string> = new Set(
  ("globalThis window self Deno console performance process crypto navigator Math Date JSON Object Array Promise " +
    "String Number Map Set Reflect Symbol Error Intl").split(" "),
);
/** Functions that change their first argument. */
const CHANGERS = /^(?:Object\.(?:assign|define\w+|setPrototypeOf)|Reflect\.(?:set\w*|define\w+|deleteProperty))$/;
const LISTENERS = /^(?:(?:globalThis|self|window)\.)?(?:add|remove)EventListener$/;
/** Replaces timers of the runtime. */
const TIMERS = "/base/_support/timers.ts";

const PROCESS_MESSAGE = "Tests that run side by side share the process: pass it as a parameter, or change it in a " +
  "child process";
const RUNTIME_MESSAGE = "Unit tests share a runtime: pass it as a parameter, or add the file to " +
  "scripts/gate/own_runtime.ts";

/** Refuses what changes the working directory, the environment, the umask, signals or globals in a test. */
export const sharedStateStays: Rule = {
  create(context) {
    const path = context.filename.replaceAll("\\", "/");
    if (!/_test\.ts$|\/_support\/|(?:^|\/)tests\//.test(path)) return {};
    const hasOwnRuntime = /(?:^|\/)tests\//.test(path) || path.endsWith(TIMERS) ||
      OWN_RUNTIME.some((file) => path === file || path.endsWith(`/${file}`));
    const inProcess = (node: Node) => context.report({ node, message: PROCESS_MESSAGE });
    const inRuntime = (node: Node) => hasOwnRuntime || context.report({ node, message: RUNTIME_MESSAGE });
    const changed = (node: Node, target: Node) => {
      if (/^(?:process\.env|Deno\.exitCode|process\.exitCode)\b/.test(nameOf(target))) {
        if (!path.endsWith("/main.ts")) inProcess(node);
      } else if (isGlobal(target)) inRuntime(node);
    };
    return {
      CallExpression(node) {
        const name = nameOf(node.callee);
        const [first] = node.arguments;
        if (PROCESS_CALLS.has(name) || WITH_ARGUMENT.has(name) && first !== undefined) inProcess(node);
        else if (LISTENERS.test(name)) inRuntime(node);
        else if (CHANGERS.test(name) && first !== undefined) changed(node, first);
      },
      AssignmentExpression: (node) => changed(node, node.left),
      UnaryExpression: (node) => node.operator === "delete" && changed(node, node.argument),
      ImportDeclaration: (node) => node.source.value.endsWith("_support/timers.ts") && inRuntime(node),
    };
  },
};

/** The expression in the form `a.b.c`; empty: it has another form. */
function nameOf(node: Node): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression") return "";
  const { property } = node;
  const last = property.type === "Literal" ? `${property.value}` : nameOf(property);
  return `${nameOf(node.object)}.${last}`;
}

/** Whether others see a change of it: a global object or its member, or the prototype of a class. */
function isGlobal(target: Node): boolean {
  const [root = "", ...rest] = nameOf(target).split(".");
  return GLOBALS.has(root) || rest.includes("prototype") && /^\p{Lu}/u.test(root);
}
