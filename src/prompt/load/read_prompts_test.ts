import assert from "node:assert/strict";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { readPrompts } from "./read_prompts.ts";
import { foldersBelow } from "./walk.ts";

/** What is read of a directory that `prepare` fills: names, faults, and folders. */
async function read(prepare: (directory: string) => Promise<unknown> | void) {
  const path = await Deno.realPath(await Deno.makeTempDir());
  await prepare(path);
  const { texts, diagnostics } = readPrompts({ origin: "user", path, mayRead: (real) => real === path });
  const folders = foldersBelow(path).map((folder) => folder.slice(path.length + 1));
  await new Deno.Command("rm", { args: ["-rf", path] }).output();
  const faults = diagnostics.map((one) => describeDiagnostic(one).replaceAll(path, "DIR"));
  return { names: texts.map(({ name }) => name), faults, folders };
}

const LIMITS = "at most 1000 files of 4194304 bytes, in 200 folders with 10000 entries, are read: remove some";

Deno.test("Q1 readPrompts() reads folders by path, and nothing that is no template", async () => {
  const found = await read(async (directory) => {
    await Deno.mkdir(`${directory}/b/c`, { recursive: true });
    await Deno.writeTextFile(`${directory}/z.md`, "");
    await Deno.writeTextFile(`${directory}/b/c/d.liquid`, "");
    await Deno.writeTextFile(`${directory}/README`, "");
  });
  assert.deepStrictEqual(found, { names: ["b/c/d", "z"], faults: [], folders: ["b", "b/c"] });
  assert.deepStrictEqual(await read((directory) => Deno.remove(directory)), { names: [], faults: [], folders: [] });
});

Deno.test("Q4 readPrompts() bounds what it looks at and reads, and says what it left out", async () => {
  const files = await read((directory) => {
    Deno.writeTextFileSync(`${directory}/1000.md`, "x");
    for (let name = 1001; name <= 2000; name++) Deno.linkSync(`${directory}/1000.md`, `${directory}/${name}.md`);
  });
  assert.deepStrictEqual([files.names.length, files.faults], [
    1_000,
    [`DIR: error: Cannot read prompts beyond "2000.md": ${LIMITS}`],
  ]);
  const folders = await read((directory) => {
    return Promise.all(Array.from({ length: 201 }, (_, index) => Deno.mkdir(`${directory}/${index}`)));
  });
  assert.deepStrictEqual([folders.folders.length, folders.faults], [
    200,
    [`DIR: error: Cannot read all prompts: ${LIMITS}`],
  ]);
});

Deno.test("Q4 readPrompts() refuses what is no text of reasonable size, and waits for no pipe", async () => {
  const { faults } = await read(async (directory) => {
    await Deno.writeTextFile(`${directory}/long.md`, "x".repeat(100 * 1024 + 1));
    await Deno.writeFile(`${directory}/bytes.md`, new Uint8Array([0xff, 0xfe]));
    await new Deno.Command("mkfifo", { args: [`${directory}/pipe.md`] }).output();
    await Deno.symlink("nowhere", `${directory}/dangling.md`);
  });
  assert.deepStrictEqual(faults.map((fault) => fault.replace(/: (No such file).*?: make/, ": $1: make")), [
    "DIR/bytes.md: error: Cannot read prompt: it is not UTF-8: save it as UTF-8",
    "DIR/dangling.md: error: Cannot read prompt: No such file: make it readable",
    "DIR/long.md: error: Cannot read prompt: it has 102401 bytes, at most 102400 are read",
    "DIR/pipe.md: error: Cannot read prompt: it is not a regular file: replace it",
  ]);
});
