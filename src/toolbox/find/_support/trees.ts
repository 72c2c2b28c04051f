/** Trees of files for the tests of searches. */
import fc from "fast-check";
import { makeSeenDirectory } from "../../../base/_support/seen_directory.ts";
import { HELPER } from "../../helper/_support/helpers.ts";
import { Project } from "../../project/project.ts";
import { findProgram } from "../../project/programs.ts";

/** Why a test with ripgrep cannot run; empty: it can. In CI it must. */
export const WITHOUT_RG: string = findProgram("rg") === undefined && Deno.env.get("CI") === undefined
  ? " (skipped: rg is missing)"
  : "";

/** The files of a tree by their paths. */
export type Files = Readonly<Record<string, string>>;

/** A directory of its own with these files, and the project that it is. */
export class TestTree implements Disposable {
  readonly directory: string = Deno.realPathSync(makeSeenDirectory("ahma-tree-"));
  readonly project: Project = new Project({ scopes: [this.directory], readable: [], writable: [], helper: HELPER });

  constructor(files: Files) {
    for (const [path, text] of Object.entries(files)) {
      const full = `${this.directory}/${path}`;
      Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      Deno.writeTextFileSync(full, text);
    }
  }

  [Symbol.dispose](): void {
    this.project[Symbol.dispose]();
    Deno.removeSync(this.directory, { recursive: true });
  }
}

const NAMES = ["a", "b.ts", "c.log", "build", "sub", ".env", "d e", "k[1]"];
const RULES = [
  "*.log",
  "build/",
  "/a",
  "!c.log",
  "sub/*.ts",
  "**/build",
  "d\\ e",
  "# note",
  "b.ts",
  "!sub/b.ts",
  "!build/",
  "a/**",
  "",
];

/** Trees with files that name what is ignored, at any depth. */
export const IGNORING_TREES: fc.Arbitrary<Files> = fc.tuple(
  fc.array(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
  fc.array(
    fc.tuple(
      fc.array(fc.constantFrom("sub", "build", "d e", "k[1]"), { maxLength: 2 }),
      fc.constantFrom(".gitignore", ".ignore", ".rgignore", ".git/info/exclude", ".gitignore"),
      fc.array(fc.constantFrom(...RULES), { maxLength: 4 }),
    ),
    { maxLength: 4 },
  ),
).map(([paths, rules]) => {
  const files: Record<string, string> = {};
  // A name is a file or a directory, never both.
  for (const names of paths) files[[...names.slice(0, -1).map((name) => `${name}.d`), names.at(-1)].join("/")] = "x\n";
  for (const [names, name, lines] of rules) {
    files[[...names.map((one) => `${one}.d`), name].join("/")] = `${lines.map(withDirectories).join("\n")}\n`;
  }
  return files;
});

/** Rules name directories as the trees do. */
function withDirectories(rule: string): string {
  return rule.replace(/\b(build|sub)\b(?=\/)/g, "$1.d").replace(/^\*\*\/build$/, "**/build.d").replace(/^a\//, "a.d/");
}

const LINES = ["foo", "Foo bar", "grün 42", "x.y(z)", "", "漢字 foo", "tail\r", "a_b-c", "foo foo", "\tindent"];
const TEXT_NAMES = ["a.ts", "b.js", "sub/c.ts", "sub/d.md", "sub/deep/e.ts", "skip.log", "out/f.ts"];

/** Trees with lines to find, some ignored, some binary or in UTF-16. */
export const TEXT_TREES: fc.Arbitrary<Files> = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...TEXT_NAMES),
    fc.array(fc.constantFrom(...LINES), { maxLength: 12 }),
    fc.constantFrom("\n", "\n", "", "\0\n"),
  ),
  { selector: ([name]) => name, maxLength: 7 },
).map((files) => ({
  ".gitignore": "*.log\nout/\n",
  ...Object.fromEntries(files.map(([name, lines, end]) => [name, textOf(lines, end)])),
}));

/** A carriage return without a line feed ends a line for `rg` at some places. */
function textOf(lines: readonly string[], end: string): string {
  const text = lines.join("\n");
  return (end === "\n" ? text : text.replace(/\r$/, "")) + end;
}
