import assert from "node:assert/strict";
import {
  exportsOf,
  importedFrom,
  importsOf,
  isOlder,
  joinedExports,
  lateImportsOf,
  loadedWith,
  withLateImports,
  withNodeOnNeed,
  withSource,
} from "./module_text.ts";

const MODULE = `import {
  one,
  two as other
} from "./chunk-A.js";
import "./chunk-B.js";

// src/cli/program.ts
var late = () => import("./late-C.js");

export {
  late,
  other as again
};
`;

Deno.test("N3 a module tells what it imports, now and later, and what it exports", () => {
  assert.deepStrictEqual(importsOf(MODULE), ["chunk-A.js", "chunk-B.js"]);
  assert.deepStrictEqual(lateImportsOf(MODULE), ["late-C.js"]);
  assert.deepStrictEqual(exportsOf(MODULE), ["late", "again"]);
});

Deno.test("N3 what a module imports from another file has the name that the file gives it", () => {
  const other = new Map([["chunk-A.js", "export {\n  one,\n  x as two\n};\n"]]);
  const [line = ""] = joinedExports(other).split("\n");
  assert.equal(line, 'export { one as chunk_A_js_one, two as chunk_A_js_two } from "./chunk-A.js";');
  const text = importedFrom(MODULE, (name) => name === "chunk-A.js" ? "../program.mjs" : undefined);
  assert.equal(
    text,
    MODULE.replace(
      /import \{[^}]*\} from "[^"]*";/,
      'import { chunk_A_js_one as one, chunk_A_js_two as other } from "../program.mjs";',
    ),
  );
  assert.equal(importedFrom('import "./b.js";', () => "./all.mjs"), 'import "./all.mjs";');
});

Deno.test("N3 a late import is rewritten, or stays", () => {
  assert.match(withLateImports(MODULE, (name) => `load("${name}")`), /=> load\("late-C\.js"\);/);
  assert.equal(withLateImports(MODULE, () => undefined), MODULE);
});

Deno.test("N3 what loads with a module is everything that it reaches without a late import", () => {
  const texts = new Map([["main.js", 'import "./a.js";\nimport("./late.js");'], ["a.js", 'import "./main.js";']]);
  assert.deepStrictEqual([...loadedWith("main.js", texts)], ["main.js", "a.js"]);
  assert.throws(() => loadedWith("none.js", texts), { message: /"none\.js" is imported/ });
});

Deno.test("N3 the part of one source is exchanged, and a source that is not there is an error", () => {
  const text = "// a/x.ts\nvar x;\n\n// b/y.mjs\nvar y;\n// no source\n\n// c/z.ts\nvar z;\n";
  assert.equal(withSource(text, /b\/y/, "// none\n"), "// a/x.ts\nvar x;\n\n// none\n// c/z.ts\nvar z;\n");
  assert.throws(() => withSource(text, /d\//, ""), { message: /there 0 times/ });
});

Deno.test("N3 modules of Node's are loaded when they are used", () => {
  const process = withNodeOnNeed('import process2 from "node:process";\n');
  assert.match(process, /^var process2 = new Proxy\(/);
  const made = 'import { createRequire as r } from "node:module";\nvar require2 = r(import.meta.url);\n';
  assert.equal(withNodeOnNeed(made), "var require2 = (name) => globalThis.process.getBuiltinModule(name);\n");
});

Deno.test("N3 a package with nothing but its module.exports is told by its last line", () => {
  assert.deepStrictEqual([isOlder("x\nexport default require_dist();\n"), isOlder(MODULE)], [true, false]);
});
