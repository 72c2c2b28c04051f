/** The index of a project, through the packed program (K4). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { processesWith } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const FLAGS = ["--bundles", "search,files", "--inline-wait", "60000"];

interface Side extends AsyncDisposable {
  readonly client: Client;
  /** The text of an answer. */
  readonly say: (tool: string, args?: Record<string, unknown>) => Promise<string>;
}

async function openSide(bench: Workbench): Promise<Side> {
  const server = await ServerProcess.start(bench, { era: "none", flags: FLAGS });
  const client = await connectClient(server, "2025-11-25");
  return {
    client,
    say: async (name, args = {}) => {
      const { content } = await client.callTool({ name, arguments: args });
      return (content as { readonly text: string }[])[0]?.text ?? "";
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function writeProject(bench: Workbench): void {
  bench.write(
    "src/user.ts",
    "import a from 'a';\n\n/** Splits a full name. */\nexport function parseUserName(text: string) {\n  return text;\n}\n",
  );
  bench.write(
    "src/parser.ts",
    "// The parser of the user's settings has a name.\nexport class Settings {\n  limit = 3;\n}\n",
  );
  bench.write("docs/guide.md", "# Guide\n\nA user has a name, which a parser reads.\n");
  bench.write(".gitignore", "hidden.ts\n*.log\n");
  bench.write("hidden.ts", "export function hiddenOne() {}\n");
  bench.write("picture.bin", "\0\0\0");
}

/** The file of the index. */
async function indexOf(bench: Workbench): Promise<string> {
  const files = await filesBelow(`${bench.home}/.cache/ahma_mcp/workers`);
  const found = files.find((path) => path.endsWith(".sqlite"));
  assert.ok(found, files.join());
  return found;
}

/** Every file below a directory. */
async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(directory));
  const nested = await Promise.all(
    entries.map(async ({ name, isDirectory }) =>
      isDirectory ? await filesBelow(`${directory}/${name}`) : [`${directory}/${name}`]
    ),
  );
  return nested.flat().toSorted();
}

Deno.test("K4 an index of a project", async (test) => {
  using bench = new Workbench("ordinary");
  writeProject(bench);
  const written = await filesBelow(bench.scope);
  const sides = [await openSide(bench), await openSide(bench)] as const;
  try {
    await test.step("two servers make and use one index at once", () => useOneIndex(sides));
    await test.step(
      "search finds words and symbols in files as they are now, from an index that commands cannot reach",
      () => findsAsItIs(bench, sides[0], written),
    );
  } finally {
    // Each waits for the end of every process of this bench.
    await Promise.all(sides.map((side) => side[Symbol.asyncDispose]()));
  }
  await test.step("a damaged index is made again", async () => {
    const index = await indexOf(bench);
    await Deno.writeTextFile(index, "no database".repeat(500));
    await using third = await openSide(bench);
    const finds = async () => /^src\/user\.ts:1 /.test(await third.say("search_query", { query: "freshly made" }));
    assert.ok(await finds());
    const worker = (await processesWith(bench.marker)).find(({ command }) => command.includes("worker/worker.js"));
    await Deno.writeTextFile(index, "");
    Deno.kill(worker?.pid ?? assert.fail("no worker"), "SIGKILL");
    // The first call may still meet the worker that is gone.
    await until(finds, 20_000, "what a new index finds");
  });
});

async function useOneIndex(sides: readonly Side[]): Promise<void> {
  await Promise.all(sides.map(({ say }) => say("search_index")));
  const answers = await Promise.all(
    sides.flatMap(({ say }) =>
      Array.from({ length: 5 }, () => say("search_query", { query: "parse user name", limit: 1 }))
    ),
  );
  assert.deepEqual(answers.filter((text) => !text.startsWith("src/user.ts:4-6 function parseUserName")), []);
}

async function findsAsItIs(bench: Workbench, { say }: Side, written: readonly string[]): Promise<void> {
  const found = await say("search_query", { query: "parse user name" });
  assert.match(found, /^src\/user\.ts:4-6 function parseUserName \d\.\d\d\n {2}4\texport function parseUserName/);
  assert.match(
    await say("symbol_find", { name: "username" }),
    /^src\/user\.ts:4-6 export function parseUserName\(text: string\) {2}— Splits a full name\.$/,
  );
  assert.match(
    await say("symbol_find", { name: "limit", kind: "field" }),
    /^src\/parser\.ts:3 limit = 3 \(in Settings\)$/,
  );
  assert.match(await say("search_query", { query: "parseUsrName", mode: "symbol" }), /^src\/user\.ts:4-6 /);
  assert.equal(await say("search_query", { query: "guide", mode: "path" }), "docs/guide.md");
  assert.equal(
    await say("symbol_find", { name: "hiddenOne" }),
    'Nothing found for "hiddenOne" in 4 indexed files\n[skipped: picture.bin (no text)]',
  );

  bench.write("src/user.ts", "export function freshlyMade() {}\n");
  assert.match(await say("search_query", { query: "freshly made" }), /^src\/user\.ts:1 function freshlyMade/);
  assert.doesNotMatch(await say("symbol_find", { name: "parseUserName" }), /^src/);
  await Deno.remove(`${bench.scope}/docs/guide.md`);
  assert.match(await say("search_index"), /^Indexed 0 files, removed 1; the index has 3 files with 3 symbols\n/);
  assert.match(await say("search_index", { force: true, patterns: ["src"] }), /^Indexed 2 files, removed 0; /);
  assert.match(await say("search_query", { query: "!?" }), /^Cannot search for "!\?": it has no letter or digit/);

  assert.deepEqual(await filesBelow(bench.scope), written.filter((path) => !path.endsWith("guide.md")));
  const index = await indexOf(bench);
  const before = await Deno.stat(index);
  await say("sandboxed_shell", { command: `rm -rf ${bench.home}/.cache/ahma_mcp/workers; echo evil > ${index}` });
  assert.match(await say("files_write", { path: index, content: "evil" }), /outside the scope/);
  const after = await Deno.stat(index);
  assert.deepEqual([after.ino, after.size >= before.size], [before.ino, true]);
  assert.match(await say("search_query", { query: "freshly made" }), /^src\/user\.ts:1 /);
}
