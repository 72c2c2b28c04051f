/** Native tools that tell what sources define, and find it in an index, through the packed program (K4). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { until } from "./_support/deadline.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { processesWith } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

/** A source in each language, and `expected.txt`: their outline. */
const FIXTURES = new URL("fixtures/outline/", import.meta.url);
const FLAGS = ["--bundles", "search", "--inline-wait", "60000"];
const INDEX_FLAGS = ["--bundles", "search,files", "--inline-wait", "60000"];

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [part] = content as { readonly type: string; readonly text: string }[];
  return { text: part?.text ?? "", isError: isError === true };
}

async function fixture(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(name, FIXTURES));
}

/** Small sources: enough that a cancel is heard before all are read. */
const MANY = 1000;
/** Mutated sources of each grammar; `deno task fuzz` tries more. */
const MUTANTS = 5;

/** A source with parts left out, repeated, exchanged or odd. */
function mutated(source: string, random: (below: number) => number): string {
  let text = source;
  for (let times = 1 + random(6); times > 0; times--) {
    const from = random(text.length + 1);
    const part = text.slice(from, from + random(40));
    const odd =
      ["", part.repeat(1 + random(4)), "{[(\"'`<"[random(7)], "\u0001", "\u{1F600}", "/*", "\u2028"][random(7)] ?? "";
    text = text.slice(0, from) + odd + text.slice(from + part.length);
  }
  return text;
}

/** Writes sources that mean harm; gives how many. */
async function writeHostileSources(bench: Workbench): Promise<number> {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
  const names = (await Array.fromAsync(Deno.readDir(FIXTURES))).map(({ name }) => name)
    .filter((name) => /\.(?!txt|md|vue)\w+$/.test(name)).toSorted();
  for (const name of names) {
    const source = await fixture(name);
    for (let at = 0; at < MUTANTS; at++) bench.write(`mutated/${at}.${name}`, mutated(source, random));
  }
  bench.write("hostile.c", "a.(".repeat(30_000));
  bench.write("hostile.ts", "function f(){".repeat(30_000));
  return names.length * MUTANTS + 2;
}

// One server for all: to load the grammars takes longer than the rest.
Deno.test("K4 outline_generate lists what a source in each language defines, and what it skips; no source ends the server", async (test) => {
  using bench = new Workbench("ordinary");
  for await (const { name } of Deno.readDir(FIXTURES)) {
    if (name !== "expected.txt") bench.write(`birds/${name}`, await fixture(name));
  }
  await using server = await ServerProcess.start(bench, { era: "none", flags: FLAGS });
  const client = await connectClient(server, "2025-11-25");
  const outline = (args: Record<string, unknown>) => call(client, "outline_generate", args);

  await test.step("each language", async () => {
    const { text } = await outline({ patterns: ["bird.*"], path: "birds" });
    assert.equal(`${text}\n`, await fixture("expected.txt"));
  });

  await test.step("as data, and less deep", async () => {
    const { text } = await outline({ patterns: "birds/bird.py", output_format: "json" });
    const sing = { name: "sing", kind: "method", lines: [12, 14], doc: "Sings." };
    assert.deepEqual(JSON.parse(text).files["birds/bird.py"][1], {
      name: "Bird",
      kind: "class",
      lines: [5, 14],
      signature: "class Bird(Animal)",
      doc: "A bird.",
      children: [
        { name: "name", kind: "field", lines: [10, 10], signature: 'name: str = "x"' },
        { ...sing, signature: "async def sing(self, times: int = 1) -> int" },
      ],
    });
    const yaml = await outline({ patterns: "birds/bird.ini", output_format: "yaml", depth: 1 });
    assert.match(yaml.text, /^files:\n {2}birds\/bird\.ini:\n {4}- name: core\n/);
    const flat = await outline({ patterns: "birds/bird.rb", depth: 1 });
    assert.equal(flat.text, "birds/bird.rb\n1-11 module Zoo");
  });

  await test.step("what is skipped, and why", async () => {
    bench.write("odd/a.xyz", "a");
    bench.write("odd/LICENSE", "a");
    bench.write("odd/b.ts", "\0\0");
    bench.write("odd/c.ts", "x".repeat(1024 * 1024 + 1));
    assert.equal(
      (await outline({ patterns: "odd" })).text,
      "[skipped: odd/LICENSE (no grammar for files without an ending); odd/a.xyz (no grammar for .xyz); " +
        "odd/b.ts (no text); odd/c.ts (longer than 1 MiB)]",
    );
    const none = await outline({ patterns: ["*.none"] });
    assert.deepEqual(none, { text: 'No file matches "*.none"; files_glob finds paths', isError: true });
  });

  await test.step("the rest of many files by offset, and progress under the token of the client", async () => {
    const first = bench.write("many/f0000.sh", "first() { :; }\n");
    for (let at = 1; at < MANY; at++) await Deno.link(first, first.replace("0000", String(at).padStart(4, "0")));
    const seen: (readonly [number, number | undefined])[] = [];
    const args = { patterns: ["many/*.sh"], output_format: "json" };
    await client.callTool({ name: "outline_generate", arguments: args }, {
      onprogress: ({ progress, total }) => seen.push([progress, total]),
    });
    assert.ok(seen.length >= 2, `${seen.length} reports`); // how many depends on how fast the client takes them
    assert.ok(seen.every(([now, total], at) => total === MANY && now > (seen[at - 1]?.[0] ?? 0)), seen.join(" "));
    const progress: string[] = [];
    server.listen((message) => "method" in message && progress.push(String(message.method)));
    const { text } = await outline({ patterns: ["many"], limit: 2, offset: MANY - 3 });
    assert.equal(
      text,
      "many/f0997.sh\n1 first()\nmany/f0998.sh\n1 first()\n" +
        "[files 998 to 999 of 1000; continue with offset 999, or show less with depth]",
    );
    assert.deepEqual(progress.filter((method) => method === "notifications/progress"), []);
  });

  await test.step("a cancelled index, which keeps what it has, and the next one goes on", async () => {
    const abort = new AbortController();
    const cancelled = client.callTool({ name: "search_index", arguments: {} }, {
      signal: abort.signal,
      onprogress: () => abort.abort(new Error("enough")),
    });
    await assert.rejects(cancelled, /enough/);
    const next = await until(
      async () => {
        const { text } = await call(client, "search_index", {});
        return !text.startsWith("Cannot index: another call") && text;
      },
      20_000,
      "the end of the cancelled call",
    );
    const [, indexed, files] = /^Indexed (\d+) files, removed 0; the index has (\d+) files/.exec(next) ?? [];
    assert.ok(Number(indexed) < Number(files), next); // none is left where all were done before the end was heard
  });

  await test.step("mutated sources of each grammar, and deep and long ones", async () => {
    const index = async () => (await call(client, "search_index", {})).text;
    const [, before] = /the index has (\d+) files/.exec(await index()) ?? [];
    const whole = `the index has ${Number(before) + await writeHostileSources(bench)} files`;
    let said = "";
    // At worst each hostile source ends its worker, and the next call goes on.
    for (let tries = 0; tries < 4 && !said.includes(whole); tries++) said = await index();
    assert.match(said, new RegExp(`${whole} with \\d+ symbols`));
    assert.match((await call(client, "symbol_find", { name: "Bird", limit: 1 })).text, /Bird/);
  });
});

interface Side extends AsyncDisposable {
  readonly client: Client;
  /** The text of an answer. */
  readonly say: (tool: string, args?: Record<string, unknown>) => Promise<string>;
}

async function openSide(bench: Workbench): Promise<Side> {
  const server = await ServerProcess.start(bench, { era: "none", flags: INDEX_FLAGS });
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
