/**
 * The rules of this project that lint can check: floors, one room that starts processes, one file that writes to stdout,
 * one that ends the program, and the form of code and messages. `deno lint` runs them on every file.
 */
import { importProblem, placeInSource } from "./floors.ts";
import { heldAtOnce } from "./held_at_once.ts";
import { sharedStateStays } from "./shared_state.ts";

type Rule = Deno.lint.Rule;
type Context = Deno.lint.RuleContext;
type Node = Deno.lint.Node;

/** The files that may name stdout: one hands it to the MCP connection, one answers `--help` and `--version`. */
const STDOUT_USERS: readonly string[] = [
  "cli/serve/serve.ts",
  "cli/terminal/print.ts",
  "toolbox/worker/helper.ts",
  "toolbox/worker/script.ts",
  "toolbox/worker/worker.ts",
];

const floors: Rule = {
  create(context) {
    const place = placeInSource(context.filename);
    if (place === undefined) return {};
    const check = (node: Node, specifier: unknown) => {
      if (typeof specifier !== "string") return;
      const message = importProblem(place, specifier);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ImportExpression: (node) => check(node, node.source.type === "Literal" ? node.source.value : undefined),
    };
  },
};

/** It runs inside the sandbox, which its processes inherit. */
const IN_WORKER = "toolbox/project/programs.ts";

const oneRoomStartsProcesses: Rule = {
  create(context) {
    const place = productPlace(context);
    if (place === undefined || place.startsWith("process/") || place === IN_WORKER) return {};
    const message = 'Only "src/process" may start processes: pass a CommandRunner instead';
    return {
      ...onMember("Deno", ["Command", "spawn", "spawnAndWait", "spawnAndWaitSync"], context, message),
      ImportDeclaration(node) {
        if (/^(node:)?child_process$/.test(node.source.value)) context.report({ node, message });
      },
      ImportExpression(node) {
        const source = node.source.type === "Literal" ? node.source.value : undefined;
        if (typeof source === "string" && /^(node:)?child_process$/.test(source)) context.report({ node, message });
      },
    };
  },
};

const stdoutIsForMcp: Rule = {
  create(context) {
    const place = productPlace(context);
    if (place === undefined || STDOUT_USERS.includes(place)) return {};
    const message = "stdout carries MCP messages only: log through the Logger that was handed in";
    const denoRule = onMember("Deno", ["stdout"], context, message);
    const processRule = onMember("process", ["stdout"], context, message);
    return {
      MemberExpression(node) {
        denoRule.MemberExpression(node);
        processRule.MemberExpression(node);
      },
    };
  },
};

const onlyMainExits: Rule = {
  create(context) {
    if (productPlace(context) === undefined) return {};
    return onMember("Deno", ["exit"], context, 'Only "main.ts" ends the program: return or throw instead');
  },
};

/** Their lazy imports are in other files of the packed program. */
const SEAMS: readonly string[] = [
  "app/compose_service.ts",
  "app/http/awaited_scope.ts",
  "app/late_toolbox.ts",
  "app/open_sandbox.ts",
  "app/secrets/open_secrets.ts",
  "catalog/check/validate.ts",
  "cli/program.ts",
  "cli/serve/serve.ts",
  "process/linux/network/named_network.ts",
  "service/connection/stdio_connection.ts",
  "app/late_control.ts",
  "toolbox/worker/worker.ts",
];

const noLazyOwnModule: Rule = {
  create(context) {
    const place = productPlace(context);
    if (place === undefined || SEAMS.includes(place)) return {};
    return {
      ImportExpression(node) {
        const source = node.source.type === "Literal" ? node.source.value : undefined;
        if (typeof source !== "string" || !/^\..*\.ts$/.test(source)) return;
        const message =
          "Import our own modules statically: a lazy one is a seam of the packed program (scripts/bundle/parts.ts), " +
          "and the files with seams are listed in scripts/lint/lint_plugin.ts";
        context.report({ node, message });
      },
    };
  },
};

const noUsingReadOnce: Rule = {
  create(context) {
    if (productPlace(context) === undefined) return {};
    return {
      VariableDeclaration(node) {
        if (node.kind !== "using" && node.kind !== "await using") return;
        const [declared] = node.declarations;
        if (declared?.id.type !== "Identifier") return;
        const { name } = declared.id;
        const text = context.sourceCode.getText(node.parent);
        if (text.split(/[^\w$]+/).filter((word) => word === name).length !== 2) return;
        const [, following = ""] = text.split(context.sourceCode.getText(node));
        if (
          node.kind === "await using" &&
          !new RegExp(`^;?\\s*(?:return |const \\w+ = )?await ${name}\\.`).test(following)
        ) return;
        const message = "Dispose of it in a `finally`: the minifier drops a `using` whose variable is read once";
        context.report({ node, message });
      },
    };
  },
};

const noDefaultExport: Rule = {
  create(context) {
    if (context.filename.endsWith("lint_plugin.ts")) return {}; // the linter asks for one
    return {
      ExportDefaultDeclaration(node) {
        context.report({ node, message: "Export by name: a default export has a different name in every file" });
      },
    };
  },
};

const noTopLevelArrow: Rule = {
  create(context) {
    return {
      "Program > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression": reportArrow,
      "Program > ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression":
        reportArrow,
    };
    function reportArrow(node: Node): void {
      context.report({ node, message: "Write a top-level function as a `function` declaration" });
    }
  },
};

const noModuleState: Rule = {
  create(context) {
    if (productPlace(context) === undefined) return {};
    const message = "No module-level `let`: hold state in an object that the composer builds";
    // Selectors of attributes would take a quarter of the linter's time.
    const check = (node: Deno.lint.VariableDeclaration) => {
      if (node.kind === "let") context.report({ node, message });
    };
    return { "Program > VariableDeclaration": check, "Program > ExportNamedDeclaration > VariableDeclaration": check };
  },
};

const errorMessageStyle: Rule = {
  create(context) {
    if (/_test\.ts$|[\\/]tests[\\/]/.test(context.filename)) return {};
    return {
      NewExpression(node) {
        const [argument] = node.arguments;
        if (node.callee.type !== "Identifier" || !node.callee.name.endsWith("Error") || argument === undefined) return;
        const { first, last } = endsOf(argument);
        if (/^\p{Ll}/u.test(first)) {
          context.report({ node: argument, message: "An error message begins with a capital" });
        }
        if (/\.$/.test(last)) context.report({ node: argument, message: "An error message has no final period" });
      },
    };
  },
};

const LONGEST_FUNCTION = 60;

const functionLength: Rule = {
  create(context) {
    if (/_test\.ts$|[\\/]tests[\\/]/.test(context.filename)) return {};
    const check = (node: Node) => {
      const [from, to] = node.range;
      const lines = context.sourceCode.text.slice(from, to).split("\n").length;
      if (lines <= LONGEST_FUNCTION) return;
      context.report({ node, message: `A function has at most ${LONGEST_FUNCTION} lines; this one has ${lines}` });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

/** Words that leave open who acts, and words that are out of use: name the client, the user or the program. */
const VAGUE_WORDS = new RegExp(
  `\\b(?:some|any|every|no)${"body"}\\b|\\b(?:who${"ever"}|who${"m"}|a${"new"}|be${"sides"})\\b`,
  "gi",
);

const plainWords: Rule = {
  create(context) {
    return {
      Program() {
        for (const { 0: word, index } of context.sourceCode.text.matchAll(VAGUE_WORDS)) {
          const message = `"${word}" is not a word of this project: AGENTS.md lists the terms to use`;
          context.report({ range: [index, index + word.length], message });
        }
      },
    };
  },
};

/** The first and last literal text of a message; empty where the message begins or ends with an expression. */
function endsOf(node: Deno.lint.Expression | Deno.lint.SpreadElement): { first: string; last: string } {
  if (node.type === "Literal" && typeof node.value === "string") return { first: node.value, last: node.value };
  if (node.type === "TemplateLiteral") {
    return { first: node.quasis[0]?.cooked ?? "", last: node.quasis.at(-1)?.cooked ?? "" };
  }
  return { first: "", last: "" };
}

/** The path inside `src/` of a file that ships; undefined for tests, what only they use, and everything outside. */
function productPlace(context: Context): string | undefined {
  const place = placeInSource(context.filename);
  return place?.endsWith("_test.ts") || place?.includes("/_support/") ? undefined : place;
}

function onMember(
  object: string,
  names: readonly string[],
  context: Context,
  message: string,
): { MemberExpression(node: Deno.lint.MemberExpression): void } {
  return {
    MemberExpression(node) {
      if (node.object.type !== "Identifier" || node.object.name !== object) return;
      const property = node.property.type === "Identifier"
        ? node.property.name
        : node.property.type === "Literal"
        ? node.property.value
        : undefined;
      if (typeof property === "string" && names.includes(property)) context.report({ node, message });
    },
  };
}

const plugin: Deno.lint.Plugin = {
  name: "ahma",
  rules: {
    "floors": floors,
    "one-room-starts-processes": oneRoomStartsProcesses,
    "stdout-is-for-mcp": stdoutIsForMcp,
    "only-main-exits": onlyMainExits,
    "no-lazy-own-module": noLazyOwnModule,
    "no-using-read-once": noUsingReadOnce,
    "no-default-export": noDefaultExport,
    "no-top-level-arrow": noTopLevelArrow,
    "no-module-state": noModuleState,
    "error-message-style": errorMessageStyle,
    "function-length": functionLength,
    "held-at-once": heldAtOnce,
    "plain-words": plainWords,
    "shared-state-stays": sharedStateStays,
  },
};
export default plugin;
