import { CARGO_PROJECT } from "./cargo_project.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const CARGO = "cargo clippy --version && cargo fmt --version";
/** Its test is JavaScript, so that only the check of types takes the time for one, without the types of browsers. */
const DENO_PROJECT =
  `echo '{ "compilerOptions": { "lib": ["es5"] } }' > deno.json && printf 'export const answer = 42;\\n' > main.ts && ` +
  `printf 'Deno.test("answers", () => {\\n  if (Number("42") !== 42) throw new Error();\\n});\\n' > main_test.js`;
const NODE_PROJECT = `printf '{ "name": "x", "scripts": { "test": "echo tested it" } }\\n' > package.json`;

/** tools/quality_check.json in a small Rust project, in a small Deno project and beside a package.json. */
const ROWS: readonly Row[] = [
  { tool: "quality_check", setup: DENO_PROJECT, expected: /Check .*main[^]*1 passed/ },
  {
    tool: "quality_check",
    setup: `${DENO_PROJECT} && echo 'var  x=1' >> main.ts`,
    fails: true,
    expected: /not formatted/i,
  },
  { tool: "quality_check", setup: NODE_PROJECT, expected: /^tested it$/m },
  { tool: "quality_check", setup: CARGO_PROJECT, expected: /1 passed/, needs: CARGO },
  {
    tool: "quality_check",
    setup: `${CARGO_PROJECT} && sed -i 's/42/41/' src/lib.rs`,
    fails: true,
    expected: /adds \.\.\. FAILED/,
    needs: CARGO,
  },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
};
