/** No comment and no document sends its reader to a file that is not in the repository. */
import assert from "node:assert/strict";
import { commentsOf, filesUnder, repositoryPaths, ROOT } from "./_support/repository.ts";

/** A path, or the name of a file: words joined by slashes, outside an address and a pattern of names. */
const PATH = /(?<![\w~$.{}/*@<>-])(?:\.{1,2}\/)*\w[\w.-]*(?:\/[\w.-]+)*(?![\w*/{<-])/g;
/** Files of these kinds are our own wherever they are named; others only below a folder of ours. */
const OWN_KIND = /\.(?:md|ts)$/;
/** Methods of the protocol, whose names look like files in tools/, prompts/ and skills/. */
const METHOD = /^(?:tools\/(?:call|list)|(?:prompts|skills)\/(?:get|list))$/;

/** The paths that `text`, which stands in the file `place`, names and that are not there. */
function missingPaths(text: string, place: string, paths: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(PATH)].map(([path]) => path.replace(/\/?\.*$/, "")).filter((path) => {
    const [top = ""] = path.split("/");
    return OWN_KIND.test(path) || path.includes("/") && paths.has(top) && !METHOD.test(path);
  });
  return named.filter((path) => {
    const beside = new URL(path, `file:///${place}`).pathname.slice(1);
    return !paths.has(path) && !paths.has(beside) && ![...paths].some((known) => known.endsWith(`/${path}`));
  });
}

Deno.test("missingPaths() finds what is not there, from the root, beside the file, or by the end of its path", () => {
  const paths = new Set(["src", "src/base", "src/base/a.ts", "docs", "docs/b.md", "tools", "tools/git.json"]);
  const good =
    "src/base, tools/. `base/a.ts`, a.ts. See docs/b.md, [b](../../docs/b.md), tools/list, src/x*.ts, <dir>/y.md, ~/z.md";
  assert.deepStrictEqual(missingPaths(good, "src/base/a.ts", paths), []);
  const bad = "research/c.md, design.md, src/gone, tools/npm.json, (docs/d.md)";
  const all = ["research/c.md", "design.md", "src/gone", "tools/npm.json", "docs/d.md"];
  assert.deepStrictEqual(missingPaths(bad, "README.md", paths), all);
});

Deno.test("citations: each file that a comment names is there", async () => {
  const paths = await repositoryPaths();
  const files = (await Promise.all(["src/", "scripts/", "tests/"].map(filesUnder))).flat();
  const missing = files.flatMap(({ path, text }) => {
    return commentsOf(text).flatMap((comment) => missingPaths(comment, path, paths).map((name) => `${path}: ${name}`));
  });
  assert.deepStrictEqual(missing, []);
});

Deno.test("citations: each file that a document names is there", async () => {
  const paths = await repositoryPaths();
  const documents = [...paths].filter((path) => path.endsWith(".md") && !path.startsWith("tests/fixtures/"));
  const missing = await Promise.all(documents.map(async (path) => {
    return missingPaths(await Deno.readTextFile(new URL(path, ROOT)), path, paths).map((name) => `${path}: ${name}`);
  }));
  assert.ok(documents.length > 8, "the documents were not found");
  assert.deepStrictEqual(missing.flat(), []);
});

Deno.test("citations: docs/design.md names each room and sub-room of src/, and no other", async () => {
  const design = await Deno.readTextFile(new URL("docs/design.md", ROOT));
  const paths = [...await repositoryPaths("src/")].filter((path) => !path.includes(".") && !path.includes("_support"));
  const rooms = paths.map((path) => path.slice("src/".length));
  const named = [...design.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
    row.match(/(?<=`)[a-z_]+(?:\/[a-z_]+)*(?=`)/g) ?? []
  );
  assert.deepStrictEqual(rooms.filter((room) => !named.includes(room)), []);
  assert.deepStrictEqual(named.filter((room) => room.includes("/") && !METHOD.test(room) && !rooms.includes(room)), []);
});
