import assert from "node:assert/strict";
import plugin from "./lint_plugin.ts";

/** The ids of the rules that speak up about a file, in order. */
function rulesBroken(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source).map((diagnostic) => diagnostic.id);
}

Deno.test("floors: an import of a lower floor or of the own room passes", () => {
  const source = `import { a } from "../base/errors.ts";
    import type { b } from "./b.ts";
    import tools from "../../tools/git.json" with { type: "json" };
    import { c } from "zod";
    export { a, b, c, tools };`;
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", source), []);
  assert.deepStrictEqual(
    rulesBroken("src/sandbox/launcher/x.ts", `import "../policy.ts"; import "../../base/x.ts";`),
    [],
  );
});

Deno.test("floors: an import sideways, upward or out of src is reported, in every form", () => {
  const source = `import { a } from "../catalog/leaf.ts";
    import type { b } from "../process/command_runner.ts";
    export * from "../cli/flags.ts";
    export { c } from "../operation/operation.ts";
    import { e } from "../bundle.ts";
    import { f } from "../unknown/f.ts";
    export { a, b, e, f };`;
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", source), Array(6).fill("ahma/floors"));
  assert.deepStrictEqual(rulesBroken("src/sandbox/launcher/x.ts", `import "../../process/spawn.ts";`), ["ahma/floors"]);
});

Deno.test("floors, no-lazy-own-module: packages and data may be imported lazily, our own modules at seams only", () => {
  const allowed = `await import("jsonc-parser"); await import("../../tools/git.json", { with: { type: "text" } });`;
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", allowed), []);
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", `await import("./y.ts");`), ["ahma/no-lazy-own-module"]);
  assert.deepStrictEqual(rulesBroken("src/cli/program.ts", `await import("./y.ts");`), []);
  const upward = rulesBroken("src/sandbox/x.ts", `await import("../service/server.ts");`);
  assert.deepStrictEqual(upward.toSorted(), ["ahma/floors", "ahma/no-lazy-own-module"]);
});

Deno.test("no-using-read-once: what the minifier of the bundle would never dispose of is refused", () => {
  const rule = "ahma/no-using-read-once";
  const once = "export function x() { using file = open(); return file.read(); }";
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", once), [rule]);
  assert.deepStrictEqual(rulesBroken("src/sandbox/x_test.ts", once), []);
  const twice = "export function x() { using file = open(); file.seek(0); return file.read(); }";
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", twice), []);
  const unread = "export function x() { using _file = open(); return 1; }";
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", unread), []);
  const awaited = "export async function x() { await using file = open(); return await file.read(); }";
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", awaited), [rule]);
  const kept = "export async function x() { await using file = open(); const a = await file.read(); return a; }";
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", kept), [rule]);
  const later = "export async function x() { await using file = open(); const { a } = await file.read(); return a; }";
  assert.deepStrictEqual(rulesBroken("src/sandbox/x.ts", later), []);
});

Deno.test("one-room-starts-processes: src/process, tests and scripts may, the rest may not", () => {
  const source = `import { spawn } from "node:child_process"; export const c = new Deno.Command("a", { spawn });`;
  const rule = "ahma/one-room-starts-processes";
  assert.deepStrictEqual(rulesBroken("src/process/spawn.ts", source), []);
  assert.deepStrictEqual(rulesBroken("src/sandbox/image_test.ts", source), []);
  assert.deepStrictEqual(rulesBroken("src/sandbox/_support/write_program.ts", source), []);
  assert.deepStrictEqual(rulesBroken("scripts/bundle.ts", source), []);
  assert.deepStrictEqual(rulesBroken("src/service/x.ts", source), [rule, rule]);
  assert.deepStrictEqual(rulesBroken("src/service/x.ts", `export const c = Deno["Command"];`), [rule]);
});

Deno.test("stdout-is-for-mcp: serve and print may name it, the rest may not", () => {
  const source = `import process from "node:process"; Deno.stdout.writeSync(x); process.stdout.write("x");`;
  const rule = "ahma/stdout-is-for-mcp";
  assert.deepStrictEqual(rulesBroken("src/cli/serve/serve.ts", source), []);
  assert.deepStrictEqual(rulesBroken("src/cli/terminal/print.ts", source), []);
  assert.deepStrictEqual(rulesBroken("src/cli/program.ts", source), [rule, rule]);
});

Deno.test("only-main-exits: Deno.exit is reported in src", () => {
  assert.deepStrictEqual(rulesBroken("src/cli/program.ts", `Deno.exit(1);`), ["ahma/only-main-exits"]);
  assert.deepStrictEqual(rulesBroken("main.ts", `Deno.exit(1);`), []);
});

Deno.test("code shape: default exports, top-level arrows and module-level let are reported", () => {
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", `export default function a() {}`), ["ahma/no-default-export"]);
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", `export const a = () => 1; const b = () => 2; b();`), [
    "ahma/no-top-level-arrow",
    "ahma/no-top-level-arrow",
  ]);
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", `export let a = 1; let b = 2; a = b = 3;`), [
    "ahma/no-module-state",
    "ahma/no-module-state",
  ]);
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", `export function a() { let b = 1; return () => b++; }`), []);
});

Deno.test("error-message-style: a message begins with a capital and has no final period", () => {
  const rule = "ahma/error-message-style";
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", 'throw new UserError(`cannot load "${x}": it is gone.`);'), [
    rule,
    rule,
  ]);
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", 'throw new UserError(`Cannot load "${x}"`);'), []);
  assert.deepStrictEqual(rulesBroken("src/cli/x.ts", "throw new RangeError(`${name} is too large`);"), []);
});

Deno.test("function-length: up to sixty lines pass, in every form", () => {
  const body = (lines: number) => `{\n${"  x();\n".repeat(lines - 2)}}`;
  const forms = (lines: number) =>
    `function a() ${body(lines)}\nexport const b = { c: () => ${body(lines)} };\nclass D { e() ${body(lines)} }`;
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", forms(60)), []);
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", forms(61)), Array(3).fill("ahma/function-length"));
});

Deno.test("held-at-once: four conditions and loops inside each other pass, and five parameters, in every form", () => {
  const heads = [
    "if (a)",
    "for (;;)",
    "for (const b of a)",
    "for (const b in a)",
    "while (a)",
    "switch (a) { default:",
    "try",
  ];
  const close = (head: string) => head === "try" ? "} finally {}" : head.startsWith("switch") ? "}}" : "}";
  const four = (inner: string) => `if (a) { do { while (a) { ${inner} } } while (a); } else if (b) {} else if (c) {}`;
  const nested = (head: string) => four(`${head} { a(); ${close(head)}`);
  for (const head of heads) {
    const within = `function a() { ${nested(head)} }\nclass D { e() { ${nested(head)} } }`;
    assert.deepStrictEqual(rulesBroken("src/base/x.ts", within), [], head);
    const beyond = `function a() { if (a) { ${nested(head)} } }\nclass D { e() { a(() => { if (a) { ${
      nested(head)
    } } }); } }`;
    assert.deepStrictEqual(rulesBroken("src/base/x.ts", beyond), Array(2).fill("ahma/held-at-once"), head);
  }
  const own = `function a() { if (a) { const b = () => { ${nested("try")} }; b(); } }`;
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", own), []);
  const forms = (list: string) => `function a(${list}) {}\na((${list}) => 1);\nclass D { e(${list}) {} }`;
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", forms("a, b, c, d, e")), []);
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", forms("a, b, c, d, e, f")), Array(3).fill("ahma/held-at-once"));
  assert.deepStrictEqual(rulesBroken("src/base/x_test.ts", forms("a, b, c, d, e, f")), []);
});

Deno.test("plain-words: words that leave open who acts are reported in comments, strings and names", () => {
  const words = ["some", "no", "any", "every"].map((word) => `${word}body`);
  const [first, second, third, fourth] = words;
  const source = `// ${first} waits\nexport const text = "${second} is told"; /* ${third}'s */ const ${fourth} = 1;`;
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", source), Array(4).fill("ahma/plain-words"));
  assert.deepStrictEqual(rulesBroken("src/base/x.ts", "// No body of a request is read anywhere."), []);
});
