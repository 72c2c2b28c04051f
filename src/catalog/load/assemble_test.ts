/** Tool files as people have them (tests/fixtures/corpus): each is taken, or refused for a stated reason. */
import assert from "node:assert/strict";
import type { Catalog } from "../model/leaf.ts";
import { CatalogLoader, loadCatalogFromTexts } from "./load.ts";

const CORPUS = new URL("../../../tests/fixtures/corpus", import.meta.url).pathname;

async function loadOnly(...files: readonly string[]): Promise<Catalog> {
  const texts = files.map(async (file) => ({ file, text: await Deno.readTextFile(`${CORPUS}/${file}`) }));
  return await loadCatalogFromTexts(await Promise.all(texts));
}

function errorsOf({ diagnostics }: Catalog): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === "error").map(({ file, message }) => `${file} ${message}`);
}

const LEAVES: Readonly<Record<string, number>> = {
  "cargo-2025-12.json": 13,
  "file-tools.json": 14,
  "gh.json": 13,
  "git.json": 5,
  "python.json": 7,
  "rust.json": 13,
};

for (const [file, count] of Object.entries(LEAVES)) {
  Deno.test(`T2 T4 ${file} of the corpus loads whole`, async () => {
    const catalog = await loadOnly(file);
    assert.deepStrictEqual([errorsOf(catalog), catalog.leaves.length], [[], count]);
  });
}

Deno.test("T4 T14 the sequence of the corpus loads with the tool it needs and is refused without", async () => {
  const both = await loadOnly("ahma_quality_check.json", "cargo-2025-12.json");
  assert.deepStrictEqual([errorsOf(both), both.byName.get("ahma_quality_check")?.sequence.length], [[], 7]);
  const alone = await loadOnly("ahma_quality_check.json");
  assert.equal(alone.leaves.length, 0);
  assert.equal(
    errorsOf(alone)[0],
    'ahma_quality_check.json Step 0 of "ahma_quality_check" has no target: Cannot call "cargo": there is no such tool',
  );
});

Deno.test("T4 the whole corpus in one directory loads, but for the second file of one name", async () => {
  const catalog = await new CatalogLoader().load(CORPUS);
  assert.deepStrictEqual(errorsOf(catalog), [
    `${CORPUS}/rust.json Tool name "cargo" is taken by "${CORPUS}/cargo-2025-12.json", which comes first: rename one of them`,
  ]);
  assert.equal(catalog.leaves.length, 13 + 14 + 13 + 5 + 7 + 1);
});

Deno.test("T4 what cannot work as written in the corpus gets a precise warning", async () => {
  const catalog = await loadOnly("git.json", "python.json", "file-tools.json", "gh.json");
  const told = new Set(catalog.diagnostics.map(({ file, pointer }) => file + pointer));
  const places = [
    "git.json/subcommand/1/options/1",
    "git.json/subcommand/3/options/0",
    "git.json/subcommand/3/options/1",
    "python.json/subcommand/0/name",
    "python.json/subcommand/6/name",
    "file-tools.json/subcommand/5/options/1",
    "file-tools.json/subcommand/8/name",
    "gh.json/subcommand/0/name",
    "gh.json/subcommand/12/name",
  ];
  assert.deepStrictEqual(places.filter((place) => !told.has(place)), []);
});

Deno.test("T6 T8 file-tools of the corpus runs the named programs and treats working_directory as meta", async () => {
  const catalog = await loadOnly("file-tools.json");
  assert.deepStrictEqual(catalog.byName.get("file-tools_ls")?.argv, ["ls"]);
  const declared = catalog.leaves.flatMap((leaf) => leaf.options.map((option) => option.name));
  assert.ok(declared.includes("-maxdepth") && !declared.includes("working_directory"));
});
