import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const TASK = `echo '{"tasks":{"hello":"echo from a task"}}' > deno.json`;
const IMPORT = `echo '{"imports":{"part":"npm:part@1"}}' > deno.json`;
const MODULE = `echo 'export const answer: number = 6 * 7; console.log("answer", answer, Deno.args.join());' > main.ts`;
/** In JavaScript, which is not type-checked first: deno_check tries that. */
const TEST = `echo 'export const answer = 6 * 7;' > answer.js; ` +
  `printf 'import { answer } from "./answer.js";\\nDeno.test("the answer", () => { if (answer !== 42) throw new Error(); });\\n' > answer_test.js`;

/** Each leaf of tools/deno.json. */
const ROWS: readonly Row[] = [
  {
    tool: "deno_run",
    setup: MODULE,
    args: { script: "main.ts", args: ["--some", "a b"] },
    expected: /^answer 42 --some,a b$/m,
  },
  { tool: "deno_task", setup: TASK, args: { task: "hello" }, expected: /^from a task$/m },
  { tool: "deno_test", setup: TEST, args: { files: ["answer_test.js"] }, expected: /1 passed/ },
  {
    tool: "deno_bench",
    // Where there is something to measure, the runtime takes half a second before that, and once crashed meanwhile.
    setup: "echo 'console.log(`nothing to measure`)' > some_bench.js",
    args: { files: ["some_bench.js"] },
    expected: /^nothing to measure$[^]*^\| benchmark /m,
  },
  {
    tool: "deno_check",
    // Most of the time would go to the types of browsers.
    setup: `echo 'const x: number = "text";' > wrong.ts; echo '{"compilerOptions":{"lib":["es5"]}}' > deno.json`,
    args: { files: ["wrong.ts"] },
    fails: true,
    expected: /TS2322/,
  },
  {
    tool: "deno_lint",
    setup: `echo 'export const x = 1;' > good.ts`,
    args: { files: ["good.ts"] },
    expected: /Checked 1 file/,
  },
  {
    tool: "deno_fmt",
    setup: "echo 'const  x=1' > ugly.ts",
    args: { files: ["ugly.ts"] },
    effect: "grep -qx 'const x = 1;' ugly.ts",
  },
  { tool: "deno_info", setup: MODULE, args: { module: "main.ts" }, expected: /main\.ts/ },
  {
    tool: "deno_doc",
    setup: `echo '/** Says it. */ export const x: number = 1;' > a.ts`,
    args: { module: "a.ts" },
    expected: /Says it/,
  },
  { tool: "deno_eval", args: { code: "console.log(`it's ${6 * 7}`)" }, expected: /^it's 42$/m },
  { tool: "deno_install", setup: `${MODULE}; echo '{}' > deno.json` },
  {
    tool: "deno_add",
    setup: "echo '{}' > deno.json",
    args: { packages: ["not-a-package-name"] },
    fails: true,
    expected: /not-a-package-name/,
  },
  { tool: "deno_remove", setup: IMPORT, args: { packages: ["part"] }, effect: "! grep -q part deno.json" },
  { tool: "deno_outdated", setup: "echo '{}' > deno.json" },
  {
    tool: "deno_coverage",
    setup: `${TEST}; deno test -q --coverage=covered answer_test.js`,
    args: { directories: ["covered"] },
    expected: /answer\.js/,
  },
  { tool: "deno_compile", setup: MODULE, args: { script: "missing.ts" }, fails: true, expected: /missing\.ts/ },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "deno",
};
