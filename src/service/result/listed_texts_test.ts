import assert from "node:assert/strict";
import fc from "fast-check";
import type { Leaf } from "../../catalog/model/leaf.ts";
import { makeLeaf, PLAIN_SCOPE, PLAIN_SETTINGS } from "../_support/connection.ts";
import { listedDescription, type ListFacts } from "./listed_texts.ts";
import type { ServiceSettings } from "../service.ts";
import { SHELL_TOOL } from "../builtin/shell_tool.ts";

function factsOf(roots: readonly string[], settings: Partial<ServiceSettings> = {}): ListFacts {
  return {
    scope: { ...PLAIN_SCOPE, roots },
    settings: { ...PLAIN_SETTINGS, inlineWaitMs: 3000, ...settings },
  };
}

/** The first sentence of `sandboxed_shell`. */
function first(roots: readonly string[], settings?: Partial<ServiceSettings>): string {
  const text = SHELL_TOOL.describe(factsOf(roots, settings));
  return text.slice(0, text.indexOf(". stdout") + 1);
}

Deno.test("T13 the first sentence of sandboxed_shell says where it runs and what long commands answer", () => {
  const unsandboxed = { sandbox: { enforced: false, summary: "off" } };
  assert.deepStrictEqual([
    first(["/home/user/project"]),
    first(["/a"], { inlineWaitMs: 250 }),
    first(["/a"], { inlineWaitMs: 0 }),
    first(["/a"], { synchronous: true }),
    first(["/a", "/b"]),
    first(["/a", "/b", "/c"]),
    first(["/a", "/b", "/c", "/d", "/e"]),
    first(["/my project\u202e"]),
    first(["/a"], unsandboxed),
  ], [
    "Runs a shell command line (after 3 s the answer is an operation id for `await`) in /home/user/project; " +
    "elsewhere is read-only or hidden.",
    "Runs a shell command line (after 0.25 s the answer is an operation id for `await`) in /a; " +
    "elsewhere is read-only or hidden.",
    "Runs a shell command line (the answer is an operation id for `await`) in /a; elsewhere is read-only or hidden.",
    "Runs a shell command line in /a; elsewhere is read-only or hidden.",
    "Runs a shell command line (after 3 s the answer is an operation id for `await`) in /a or /b; " +
    "elsewhere is read-only or hidden.",
    "Runs a shell command line (after 3 s the answer is an operation id for `await`) in /a, /b or /c; " +
    "elsewhere is read-only or hidden.",
    "Runs a shell command line (after 3 s the answer is an operation id for `await`) in /a, /b, /c or " +
    "2 more directories; elsewhere is read-only or hidden.",
    'Runs a shell command line (after 3 s the answer is an operation id for `await`) in "/my project"; ' +
    "elsewhere is read-only or hidden.",
    "Runs a shell command line (after 3 s the answer is an operation id for `await`) in /a; " +
    "there is NO SANDBOX, it can reach everything this user can.",
  ]);
});

Deno.test("T13 150 characters of sandboxed_shell hold a scope of up to 60, whole, and the answer of long commands", () => {
  const path = fc.stringMatching(/^\/[a-z/]{0,59}$/);
  fc.assert(fc.property(path, fc.nat({ max: 99_999 }), (root, inlineWaitMs) => {
    const shown = SHELL_TOOL.describe(factsOf([root], { inlineWaitMs })).slice(0, 150);
    return shown.includes(` in ${root}`) && shown.includes("operation id for `await`");
  }));
});

Deno.test("T13 X2 a leaf says when its answer is an operation id, and nothing where calls wait for the end", () => {
  const described = (leaf: Partial<Leaf>, settings?: Partial<ServiceSettings>) =>
    listedDescription(makeLeaf("make", leaf), factsOf(["/a"], settings));
  const atOnce = "Runs make.\n\nThe answer is an operation id for `await`; other work can continue.";
  assert.deepStrictEqual([
    described({}),
    described({}, { inlineWaitMs: 0 }),
    described({ synchronous: false }),
    described({ synchronous: true }),
    described({ synchronous: false }, { synchronous: true }),
    described({ description: "" }),
  ], [
    "Runs make.\n\nAfter 3 s the answer is an operation id for `await`; other work can continue.",
    atOnce,
    atOnce,
    "Runs make.",
    "Runs make.",
    "After 3 s the answer is an operation id for `await`; other work can continue.",
  ]);
});
