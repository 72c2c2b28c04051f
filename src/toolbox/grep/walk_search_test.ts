import assert from "node:assert/strict";
import fc from "fast-check";
import { TestTree, TEXT_TREES, WITHOUT_RG } from "../find/_support/trees.ts";
import { FoundLines } from "./found_lines.ts";
import { grepAnswer } from "./grep_answer.ts";
import { queryOf, viewOf } from "./grep_query.ts";
import { searchByRg } from "./rg_run.ts";
import { searchByWalk } from "./walk_search.ts";

const NEVER = new AbortController().signal;

/** Both answers of one search. */
async function answers(bench: TestTree, args: Parameters<typeof queryOf>[0]): Promise<readonly string[]> {
  using tree = await bench.project.tree(".");
  const [query, view] = [queryOf(args), viewOf(args)];
  const most = view.mode === "content" ? view.offset + view.limit : 0;
  const request = { place: { directory: ".", file: undefined }, query, most };
  const [byRg, byWalk] = [new FoundLines(most), new FoundLines(most)];
  await searchByRg(tree, request, (file) => byRg.add(file), NEVER);
  await searchByWalk(bench.project, request, { onFile: (file) => byWalk.add(file), onSearched: () => {} });
  return [byRg, byWalk].map((found) => grepAnswer(found, query, view));
}

const PATTERNS = [
  "foo",
  "^foo$",
  "fo+|x",
  "\\bfoo\\b",
  "\\w+ \\d+",
  "[^f]oo",
  "gr.n",
  ".",
  "^$",
  "\\.y\\(",
  "(?P<n>o)o",
  "l$",
];
const QUERIES = fc.record({
  pattern: fc.constantFrom(...PATTERNS),
  output_mode: fc.constantFrom("content", "count", "files_with_matches"),
  context_lines: fc.integer({ min: 0, max: 2 }),
  case_insensitive: fc.boolean(),
  word: fc.boolean(),
  invert: fc.boolean(),
  respect_git_ignore: fc.boolean(),
  glob: fc.constantFrom([], ["*.ts"], ["sub/**"], ["!*.md"], ["*.log"], ["*.{js,md}", "!b.*"], ["out/**"], ["out"]),
  type: fc.constantFrom(undefined, undefined, "ts"),
  limit: fc.integer({ min: 1, max: 6 }),
  offset: fc.integer({ min: 0, max: 3 }),
}).map(({ type, ...query }) => ({ ...query, ...type !== undefined && { type } }));

Deno.test({
  name: `K3 a search without rg answers as one with rg, in the same order${WITHOUT_RG}`,
  ignore: WITHOUT_RG !== "",
  fn: () =>
    fc.assert(
      fc.asyncProperty(TEXT_TREES, fc.array(QUERIES, { minLength: 2, maxLength: 4 }), async (files, queries) => {
        using bench = new TestTree(files);
        for (const args of queries) {
          const [byRg, byWalk] = await answers(bench, args);
          assert.equal(byWalk, byRg, JSON.stringify(args));
        }
      }),
      { numRuns: 25 },
    ),
});

Deno.test({
  name: `K3 matches over lines are the same lines with rg and without${WITHOUT_RG}`,
  ignore: WITHOUT_RG !== "",
  async fn() {
    using bench = new TestTree({ "a.txt": "one\ntwo\nthree\nfour\ntwo\nthree\n", "b.txt": "x{\n  y\n}\n\nx{}\n" });
    for (const pattern of ["two\\nth", "x\\{.*?\\}", "^two$", "e\\n[tf]"]) {
      const [byRg, byWalk] = await answers(bench, { pattern, multiline: true, context_lines: 1 });
      assert.equal(byWalk, byRg, pattern);
    }
  },
});
