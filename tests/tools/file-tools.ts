import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const NUMBERS = "seq 1 20 > numbers; printf 'b\\na\\nb\\n' > letters";
const TREE = "mkdir -p tree/below; echo deep > tree/below/file.txt; echo top > tree/top.md";

/** Each leaf of tools/file-tools.json. */
const ROWS: readonly Row[] = [
  { tool: "file-tools_ls", setup: TREE, args: { paths: ["tree"] }, expected: /^below\ntop\.md$/m },
  { tool: "file-tools_cat", setup: NUMBERS, args: { files: ["letters"], number: true }, expected: /^\s+2\s+a$/m },
  { tool: "file-tools_head", setup: NUMBERS, args: { files: ["numbers"], lines: 2 }, expected: /^1\n2\n(\[|$)/ },
  { tool: "file-tools_tail", setup: NUMBERS, args: { files: ["numbers"], lines: 1 }, expected: /^20\n(\[|$)/ },
  { tool: "file-tools_wc", setup: NUMBERS, args: { files: ["numbers"], lines: true }, expected: /^20 numbers$/m },
  {
    tool: "file-tools_grep",
    setup: TREE,
    args: { pattern: "dee[p]", paths: ["tree"], recursive: true },
    expected: /^tree\/below\/file\.txt:1:deep$/m,
  },
  {
    tool: "file-tools_find",
    setup: TREE,
    args: { paths: ["tree"], name: "*.md", type: "f" },
    expected: /^tree\/top\.md\n(\[|$)/,
  },
  { tool: "file-tools_stat", setup: NUMBERS, args: { files: ["letters"] }, expected: /Size: 6/ },
  { tool: "file-tools_du", setup: TREE, args: { paths: ["tree"], summarize: true }, expected: /^\d+\s+tree$/m },
  {
    tool: "file-tools_diff",
    setup: "echo a > x; echo b > y",
    args: { old: "x", new: "y" },
    fails: true,
    expected: /^[+>] ?b$/m,
  },
  { tool: "file-tools_diff", setup: "echo a > x; echo a > y", args: { old: "x", new: "y" } },
  {
    tool: "file-tools_sort",
    setup: NUMBERS,
    args: { files: ["letters"], unique: true, reverse: true },
    expected: /^b\na\n(\[|$)/,
  },
  {
    tool: "file-tools_sed",
    setup: NUMBERS,
    args: { expression: "s/a/$(id)/", files: ["letters"] },
    expected: /^b\n\$\(id\)\nb$/m,
  },
  { tool: "file-tools_mkdir", args: { paths: ["one/two"], parents: true }, effect: "test -d one/two" },
  {
    tool: "file-tools_cp",
    setup: TREE,
    args: { sources: ["tree"], destination: "copy", recursive: true },
    effect: "test -f copy/below/file.txt",
  },
  {
    tool: "file-tools_mv",
    setup: NUMBERS,
    args: { sources: ["letters"], destination: "moved here" },
    effect: "test -f 'moved here' -a ! -e letters",
  },
  { tool: "file-tools_rm", setup: TREE, args: { paths: ["tree"], recursive: true }, effect: "test ! -e tree" },
  { tool: "file-tools_rmdir", setup: "mkdir empty", args: { paths: ["empty"] }, effect: "test ! -e empty" },
  { tool: "file-tools_touch", args: { files: ["a b", "*"] }, effect: "test -f 'a b' -a -f '*'" },
  {
    tool: "file-tools_ln",
    setup: NUMBERS,
    args: { target: "letters", link: "link", symbolic: true },
    effect: "test -L link",
  },
  {
    tool: "file-tools_chmod",
    setup: NUMBERS,
    args: { mode: "600", paths: ["letters"] },
    effect: "test $(stat -c %a letters) = 600",
  },
  {
    tool: "file-tools_tee",
    args: { files: ["copy"], stdin: 'it\'s\n"so"\n' },
    effect: `test "$(cat copy)" = "$(printf 'it'\\''s\\n"so"')"`,
  },
  { tool: "file-tools_pwd", expected: /\/scope\/rows\/file-tools\/row-\d+$/m },
  { tool: "file-tools_cat", args: { files: ["/etc/hostname"] }, fails: true, expected: /outside|scope/ },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
};
