import assert from "node:assert/strict";
import fc from "fast-check";
import type { Catalog } from "../model/leaf.ts";
import { CatalogLoader, loadCatalogFromTexts, type LoadOptions } from "./load.ts";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { LARGEST_FILE_BYTES } from "./read_directory.ts";

type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** A directory with these files, loaded; places in problems lose the directory's own path. */
/** `prepare` puts more into the directory. */
async function loaded(
  files: Files,
  options: LoadOptions = {},
  prepare: (directory: string) => void = () => {},
): Promise<Catalog> {
  const directory = await Deno.makeTempDir();
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(`${directory}/${name}`, bytes);
    }
    prepare(directory);
    const catalog = await new CatalogLoader(options).load(directory);
    return JSON.parse(JSON.stringify({ ...catalog, byName: [] }).replaceAll(`${directory}/`, ""));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function namesOf(catalog: Catalog): readonly string[] {
  return catalog.leaves.map((leaf) => leaf.name);
}

function said(catalog: Catalog): readonly string[] {
  return catalog.diagnostics.map(describeDiagnostic);
}

/** A good file: one synchronous tool without subcommands. */
function tool(name: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name, description: "Does it", command: name, synchronous: true, ...fields });
}

Deno.test("T1 CatalogLoader reads *.json in name order and leaves everything else alone", async () => {
  const catalog = await loaded({
    "b.json": tool("second"),
    "a.json": tool("first"),
    "c.jsonc": "?",
    ".hidden.json": "?",
    "settings.json": "{}",
    "README.md": "?",
  });
  assert.deepStrictEqual([namesOf(catalog), said(catalog)], [["first", "second"], []]);
});

Deno.test("T1 T4 CatalogLoader leaves a bad file out whole and loads the others", async () => {
  const catalog = await loaded({
    "a.json": tool("first"),
    "b.json": '{\n  "command": "x",\n  "subcommand": [\n    { "name": "y", "typ": 1 }\n  ]\n}',
    "c.json": tool("third"),
  });
  assert.deepStrictEqual(namesOf(catalog), ["first", "third"]);
  assert.deepStrictEqual(said(catalog), [
    'b.json:4:20: error: Field "typ" is unknown; known fields: ' +
    catalog.diagnostics[0]?.message.split("fields: ")[1] +
    " (/subcommand/0/typ)",
  ]);
});

Deno.test("T4 CatalogLoader says where a file stops being JSON", async () => {
  const catalog = await loaded({
    "a.json": '{\n  "command": "x"\n  "name": "y"\n}',
    "b.json": "",
    "c.json": '{"a":1}x',
  });
  assert.deepStrictEqual(said(catalog), [
    "a.json:3:3: error: The file is not valid JSON: comma expected: correct it there, the file is left out until then",
    "b.json:1:1: error: The file is not valid JSON: value expected: correct it there, the file is left out until then",
    "c.json:1:8: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then",
  ]);
});

Deno.test("T4 CatalogLoader tells of keys given twice in a file with a problem", async () => {
  const catalog = await loaded({
    "a.json": '{ "command": "x",\n"command": "y", "tool_type": "command", "synchronous": true, "description": "d" }',
  });
  assert.deepStrictEqual(
    said(catalog),
    [
      'a.json:2:17: warning: Field "tool_type" has no effect here: remove it (/tool_type)',
      'a.json:1:3: warning: Field "command" is given more than once, and only the last one counts: remove the others (/command)',
    ].toSorted(),
  );
});

Deno.test("T1 CatalogLoader is not stopped by files that are no text, too large, pipes or loops", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/good.json`, "\uFEFF" + tool("good"));
    await Deno.writeFile(`${directory}/binary.json`, new Uint8Array([0xff, 0xfe, 0]));
    await Deno.writeFile(`${directory}/large.json`, new Uint8Array(LARGEST_FILE_BYTES + 1));
    await Deno.symlink(`${directory}/loop.json`, `${directory}/loop.json`);
    await Deno.mkdir(`${directory}/directory.json`);
    await new Deno.Command("mkfifo", { args: [`${directory}/pipe.json`] }).output();
    const catalog = await new CatalogLoader().load(directory);
    assert.deepStrictEqual(namesOf(catalog), ["good"]);
    assert.deepStrictEqual(
      catalog.diagnostics.map(({ file, message }) => `${file.slice(directory.length + 1)} ${message}`),
      [
        "binary.json Cannot read tool file: it is not UTF-8: save it as UTF-8",
        "large.json Cannot read tool file: it has 1048577 bytes, at most 1048576 are read",
        catalog.diagnostics[2]?.message.replace(/^/, "loop.json "),
        "pipe.json Cannot read tool file: it is not a regular file: replace it",
      ],
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("S10 CatalogLoader tells of twenty thousand mistakes only the first", async () => {
  const unknown = `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join(",")}}`;
  const repeated = tool("repeated").replace("{", `{${'"name":"x",'.repeat(20_000)}`);
  const catalog = await loaded({ "repeated.json": repeated, "unknown.json": unknown });
  const told = (file: string) => catalog.diagnostics.filter((problem) => problem.file === file);
  assert.deepStrictEqual([namesOf(catalog), told("repeated.json").length, told("unknown.json").length], [
    ["repeated"],
    51,
    51,
  ]);
  assert.match(told("unknown.json").at(-1)?.message ?? "", /^The file has more mistakes than these 50/);
});

Deno.test("S10 CatalogLoader cuts what is told of a name that fills a file", async () => {
  const catalog = await loaded({ "a.json": `{"${"k".repeat(500_000)}":1}`, "b.json": tool("good") });
  assert.ok(JSON.stringify(catalog.diagnostics).length < 4_000);
  assert.deepStrictEqual(namesOf(catalog), ["good"]);
});

Deno.test("S10 CatalogLoader reads no more files than a person makes, and says so", async () => {
  const files = { "0.json": tool("off", { enabled: false }), "1998.json": tool("read"), "1999.json": tool("left_out") };
  const catalog = await loaded(files, {}, (directory) => {
    for (let name = 1_000; name < 1_998; name++) Deno.linkSync(`${directory}/0.json`, `${directory}/${name}.json`);
  });
  assert.deepStrictEqual([namesOf(catalog), said(catalog).length], [["read"], 1]);
  assert.match(said(catalog)[0] ?? "", /Cannot read tools directory beyond "1999.json": at most 1000 files/);
});

Deno.test("S10 CatalogLoader reads no more bytes than fit, and says so", async () => {
  const large = tool("large").replace("{", `{${" ".repeat(LARGEST_FILE_BYTES - 1_000)}`);
  const names = ["a", "b", "c", "d", "e", "f"];
  const files = Object.fromEntries(names.map((name) => [`${name}.json`, large.replace("large", name)] as const));
  const catalog = await loaded(files);
  assert.deepStrictEqual(namesOf(catalog), ["a", "b", "c", "d"]);
  assert.match(said(catalog)[0] ?? "", /Cannot read tools directory beyond "e.json"/);
});

Deno.test("S10 CatalogLoader refuses a file with more subcommands than any client lists", async () => {
  const subcommand = (count: number) =>
    JSON.stringify({
      name: `of${count}`,
      command: "echo",
      synchronous: true,
      subcommand: Array.from({ length: count }, (_, i) => ({ name: `s${i}`, description: "Says." })),
    });
  const catalog = await loaded({ "a.json": subcommand(1_000), "b.json": subcommand(1_001) });
  assert.deepStrictEqual([catalog.leaves.length, said(catalog).length], [1_000, 1]);
  assert.match(said(catalog)[0] ?? "", /^b.json:.*There are more than 1000 subcommands: split the file/);
});

Deno.test("S10 CatalogLoader lists no more tools than any client takes", async () => {
  const files = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [
    `${name}.json`,
    JSON.stringify({
      name,
      command: "echo",
      synchronous: true,
      subcommand: Array.from({ length: 1_000 }, (_, i) => ({ name: `s${i}`, description: "Says." })),
    }),
  ]));
  const catalog = await loaded(files);
  assert.deepStrictEqual([catalog.leaves.length, said(catalog).length], [5_000, 1]);
  assert.match(said(catalog)[0] ?? "", /^f.json:.*There are 5000 MCP tools before this file already/);
});

Deno.test("T1 CatalogLoader reports a directory that does not exist", async () => {
  const { leaves, diagnostics } = await new CatalogLoader().load("/nowhere/at/all");
  assert.deepStrictEqual([leaves, diagnostics.map(describeDiagnostic)], [[], [
    "/nowhere/at/all: error: Cannot read tools directory: it does not exist: create it, or choose another with --tools-dir",
  ]]);
});

Deno.test("T4 CatalogLoader keeps the first of two files of one tool name", async () => {
  const catalog = await loaded({ "a.json": tool("same"), "b.json": tool("same"), "c.json": tool("other") });
  assert.deepStrictEqual([namesOf(catalog), said(catalog)], [["same", "other"], [
    'b.json:1:9: error: Tool name "same" is taken by "a.json", which comes first: rename one of them (/name)',
  ]]);
});

Deno.test("T4 CatalogLoader refuses one MCP name from two tools", async () => {
  const nested = tool("a", { subcommand: [{ name: "b", description: "d" }] });
  const catalog = await loaded({ "a.json": nested, "b.json": tool("a_b") });
  assert.deepStrictEqual([namesOf(catalog), said(catalog)], [["a_b"], [
    'b.json:1:1: error: MCP tool name "a_b" is taken by "a.json": rename one',
  ]]);
});

Deno.test("T4 CatalogLoader refuses only the file with a reserved name", async () => {
  const split = tool("sandboxed", { subcommand: [{ name: "shell", description: "d" }] });
  const catalog = await loaded({ "a.json": tool("await"), "b.json": split, "c.json": tool("good") });
  assert.deepStrictEqual([namesOf(catalog), said(catalog)], [["good"], [
    'a.json:1:9: error: Tool name "await" is reserved for Ahma\'s own tool: rename it (/name)',
    `b.json:1:${split.indexOf('{"name":"shell"') + 1}: error: MCP tool name "sandboxed_shell" is reserved for Ahma's ` +
    "own tool (/subcommand/0)",
  ]]);
});

Deno.test("T5 CatalogLoader warns over 45 characters and refuses over 64", async () => {
  const catalog = await loaded({ "a.json": tool("a".repeat(46)), "b.json": tool("b".repeat(65)) });
  assert.deepStrictEqual(namesOf(catalog), ["a".repeat(46)]);
  assert.deepStrictEqual(catalog.diagnostics.map(({ severity, file }) => [severity, file]), [
    ["error", "b.json"],
    ["warning", "a.json"],
  ]);
});

Deno.test("T10 CatalogLoader leaves out what is switched off and lets its name be used", async () => {
  const catalog = await loaded({ "a.json": tool("same", { enabled: false }), "b.json": tool("same") });
  assert.deepStrictEqual([namesOf(catalog), said(catalog)], [["same"], []]);
});

Deno.test("T4 T14 CatalogLoader refuses a file whose step has no target, and then what depended on it", async () => {
  const sequence = (name: string, step: Readonly<Record<string, unknown>>) =>
    tool(name, { command: "sequence", sequence: [step] });
  const catalog = await loaded({
    "a.json": sequence("a", { tool: "b" }),
    "b.json": sequence("b", { tool: "work", subcommand: "buld" }),
    "c.json": sequence("c", { tool: "sandboxed_shell", args: { command: "true" } }),
    "work.json": tool("work", { subcommand: [{ name: "build", description: "d" }] }),
  });
  assert.deepStrictEqual(namesOf(catalog), ["c", "work_build"]);
  assert.deepStrictEqual(catalog.diagnostics.map(({ file, pointer, message }) => [file, pointer, message]), [
    ["a.json", "/sequence/0/tool", 'Step 0 of "a" has no target: Cannot call "b": its file is refused'],
    [
      "b.json",
      "/sequence/0/subcommand",
      'Step 0 of "b" has no target: Cannot call "work": subcommand "buld" does not exist; did you mean "build"? ' +
      "expected one of build",
    ],
  ]);
});

Deno.test("T14 CatalogLoader refuses sequences that run in a circle", async () => {
  const sequence = (name: string, target: string) => tool(name, { command: "sequence", sequence: [{ tool: target }] });
  const catalog = await loaded({ "a.json": sequence("a", "b"), "b.json": sequence("b", "a"), "c.json": tool("c") });
  assert.deepStrictEqual(namesOf(catalog), ["c"]);
  assert.deepStrictEqual(catalog.diagnostics.map(({ message }) => message), [
    'Step 0 of "a" forms a cycle: a > b > a: remove one of these steps',
    'Step 0 of "b" forms a cycle: b > a > b: remove one of these steps',
  ]);
});

Deno.test("T15 CatalogLoader prefers a local file over a bundled one of the same file or tool name, even a bad one", async () => {
  const bundled = ["git", "npm", "deno"].map((name) => ({ file: `${name}.json`, text: tool(name) }));
  const catalog = await loaded({ "git.json": "{", "mine.json": tool("npm", { description: "Mine" }) }, { bundled });
  assert.deepStrictEqual(catalog.leaves.map(({ name, description }) => [name, description]), [
    ["deno", "Does it"],
    ["npm", "Mine"],
  ]);
});

Deno.test("T4 loadCatalogFromTexts() takes hostile keys as any other", async () => {
  const text =
    '{"command":"x","description":"d","synchronous":true,"__proto__":{"enabled":false},"hints":{"__proto__":"h"}}';
  const { leaves, diagnostics } = await loadCatalogFromTexts([{ file: "a.json", text }]);
  assert.deepStrictEqual([leaves, diagnostics.map(({ pointer }) => pointer)], [[], ["/__proto__"]]);
});

Deno.test("T4 loadCatalogFromTexts() never throws and gives every error a message", async () => {
  const text = fc.oneof(fc.json(), fc.string(), fc.json().map((json) => `{"command":"x","subcommand":[${json}]}`));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 3 }), async (texts) => {
      const files = texts.map((text, index) => ({ file: `${index}.json`, text }));
      const { diagnostics } = await loadCatalogFromTexts(files);
      assert.ok(diagnostics.every(({ message }) => message.length > 10));
    }),
    { numRuns: 200 },
  );
});

Deno.test("T1 CatalogLoader follows no link out of its directory, and takes no name with control characters", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/tools`);
    const text = JSON.stringify({ name: "t", command: "echo", description: "Says it", synchronous: true });
    await Deno.writeTextFile(`${base}/secret.json`, '{"auths": {}}');
    await Deno.symlink("../secret.json", `${base}/tools/a.json`);
    await Deno.writeTextFile(`${base}/tools/b.json`, text);
    await Deno.symlink("b.json", `${base}/tools/\u001b[31mc.json`);
    const { leaves, diagnostics } = await new CatalogLoader().load(`${base}/tools`);
    assert.deepStrictEqual([leaves.map(({ name }) => name), diagnostics.map(({ file, message }) => [file, message])], [
      ["t"],
      [[
        `${base}/tools/a.json`,
        "Cannot read tool file: it is a link that leads out of the tools directory: put the file itself there",
      ]],
    ]);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("T12 a directory that leads where it may not is not read, and the problem says what to do", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${root}/elsewhere`);
    await Deno.mkdir(`${root}/project`);
    await Deno.writeTextFile(`${root}/elsewhere/told.json`, '{"command": "echo", "description": "Tells."}');
    await Deno.symlink(`${root}/elsewhere`, `${root}/project/tools`);
    const mayRead = (real: string) => real.startsWith(`${root}/project`);
    const kept = await new CatalogLoader({ mayRead }).load(`${root}/project/tools`);
    assert.deepStrictEqual([...kept.byName.keys()], []);
    assert.deepStrictEqual(kept.diagnostics.map(({ message }) => message), [
      "Cannot read tools directory: it is a link that leads out of the project: put the files themselves there, or " +
      "name their directory with --tools-dir",
    ]);
    const free = await new CatalogLoader().load(`${root}/project/tools`);
    assert.deepStrictEqual([...free.byName.keys()], ["echo"]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("T15 the shipped tool files load together without any problem", async () => {
  const { diagnostics } = await new CatalogLoader().load(new URL("../../../tools", import.meta.url).pathname);
  assert.deepStrictEqual(diagnostics, []);
});
