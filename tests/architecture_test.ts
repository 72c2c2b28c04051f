/** What holds the layout of docs/design.md together: cycles, sizes, who may start and load what (lint holds the floors). */
import assert from "node:assert/strict";
import { VERSION } from "../src/base/version.ts";
import { placeInSource, resolveInSource } from "../scripts/lint/floors.ts";
import { filesUnder, ROOT, type SourceFile, withoutComments } from "./_support/repository.ts";

const LINE_LIMIT = 400;
/** Sources in one folder, tests not counted. */
const FOLDER_LIMIT = 15;
/** What a reader takes in at once. */
const SECTION_LIMIT = 120;
/** What only tests use. */
const SUPPORT = "/_support/";

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** Loaded by `import()`, when it is needed. */
  readonly late: boolean;
}

async function productFiles(): Promise<SourceFile[]> {
  const files = (await filesUnder("src/")).filter(({ path }) => !path.endsWith("_test.ts") && !path.includes(SUPPORT));
  assert.ok(files.length > 20, "the sources were not found");
  return files;
}

function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const fixed = code.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]*?\sfrom\s+|\{[^}]*\}\s*from\s+)?"([^"]+)"/gm,
  );
  const dynamic = code.matchAll(/\bimport\(\s*"([^"]+)"/g);
  return [
    ...fixed.map((match) => ({ specifier: match[2] ?? "", typeOnly: match[1] !== undefined, late: false })),
    ...dynamic.map((match) => ({ specifier: match[1] ?? "", typeOnly: false, late: true })),
  ];
}

/** The first cycle found, as the files along it; undefined when there is none. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const finished = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...trail, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function pathsWith(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(withoutComments(file.text))).map((file) => file.path);
}

/** The first module of the program that runs native tools in the sandbox. */
const WORKER_MAINS = ["src/toolbox/worker/worker.ts", "src/toolbox/worker/helper.ts", "src/toolbox/worker/script.ts"];

Deno.test("importsOf() sees every form of import", () => {
  const text = `import a from "./a.ts";
import type { B } from "./b.ts";
import {
  c,
  type D,
} from "./c.ts";
export { e } from "./e.ts";
export * from "./f.ts";
import "./g.ts";
// import "../main.ts";
const h = await import("./h.ts");`;
  const specifiers = importsOf(text).map((found) => found.specifier);
  assert.deepStrictEqual(specifiers, ["./a.ts", "./b.ts", "./c.ts", "./e.ts", "./f.ts", "./g.ts", "./h.ts"]);
  assert.deepStrictEqual(importsOf(text).filter((found) => found.typeOnly).map((found) => found.specifier), ["./b.ts"]);
});

/** From each file to the files it imports, types included, as paths inside `src/`. */
async function importGraph(): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map((await productFiles()).map(({ path, text }) => {
    const place = placeInSource(path) ?? "";
    const specifiers = importsOf(text).map((found) => found.specifier).filter((specifier) => specifier.startsWith("."));
    return [place, specifiers.map((specifier) => resolveInSource(place, specifier))];
  }));
}

function folderOf(place: string): string {
  return place.slice(0, place.lastIndexOf("/"));
}

Deno.test("architecture: no files import each other in a circle, types included", async () => {
  assert.strictEqual(findCycle(await importGraph()), undefined);
  assert.deepStrictEqual(findCycle(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c", "b"]);
});

Deno.test("architecture: imports between the folders of src go one way only", async () => {
  const folders = new Map<string, string[]>();
  for (const [place, targets] of await importGraph()) {
    const others = targets.map(folderOf).filter((folder) => folder !== folderOf(place));
    folders.set(folderOf(place), [...folders.get(folderOf(place)) ?? [], ...others]);
  }
  assert.strictEqual(findCycle(folders), undefined);
});

Deno.test(`architecture: no folder of src, of the attacks or of what tests share holds more than ${FOLDER_LIMIT} sources`, async () => {
  const shared = [...await filesUnder("tests/attacks/"), ...await filesUnder("tests/_support/")];
  const byFolder = Map.groupBy([...await productFiles(), ...shared], ({ path }) => folderOf(path));
  const full = [...byFolder].filter(([, files]) => files.length > FOLDER_LIMIT).map(([folder]) => folder);
  assert.deepStrictEqual(full, []);
});

Deno.test(`architecture: no file is longer than ${LINE_LIMIT} lines`, async () => {
  const files = [...await filesUnder("src/"), ...await filesUnder("scripts/"), ...await filesUnder("tests/")];
  const long = files.map((file) => ({ path: file.path, lines: file.text.split("\n").length - 1 }))
    .filter((file) => file.lines > LINE_LIMIT);
  assert.deepStrictEqual(long, []);
});

Deno.test("architecture: each test file is next to the source that it tests", async () => {
  const paths = new Set((await filesUnder("src/")).map((file) => file.path));
  const lonely = [...paths].filter((path) => path.endsWith("_test.ts"))
    .filter((path) => !paths.has(path.replace(/_test\.ts$/, ".ts")));
  assert.deepStrictEqual(lonely, []);
});

Deno.test("architecture: what only tests use is used by tests only", async () => {
  const imported = (await productFiles()).flatMap(({ text }) => importsOf(text).map(({ specifier }) => specifier));
  assert.deepStrictEqual(imported.filter((specifier) => specifier.includes(SUPPORT)), []);
});

Deno.test("S3 architecture: one file starts processes, one inside the sandbox, and nothing else can", async () => {
  const files = await productFiles();
  assert.deepStrictEqual(pathsWith(files, /\bDeno\s*(\.|\[")\s*(Command|spawn)/), [
    "src/process/spawn.ts",
    "src/toolbox/project/programs.ts",
  ]);
  assert.deepStrictEqual(pathsWith(files, /child_process|node:cluster|\bnew Worker\b/), []);
  assert.deepStrictEqual(pathsWith(files, /\bDeno\s*\[(?!")|=\s*Deno\s*;|globalThis\s*(\.|\[")Deno/), []);
});

Deno.test("C2 architecture: two files use stdout, one to pass it on and one to print help; workers use their own", async () => {
  const allowed = new Set(["src/cli/terminal/print.ts", "src/cli/serve/serve.ts", ...WORKER_MAINS]);
  const writers = pathsWith(await productFiles(), /\bDeno\.stdout\b|\bprocess\.stdout\b|\bconsole\./);
  assert.deepStrictEqual(writers.filter((path) => !allowed.has(path)), []);
});

/** Rooms of the toolbox that the server runs; all others run inside the sandbox. */
const SERVER_SIDE: readonly string[] = ["definition", "flow", "flow_tool", "frame", "link", "script", "source"];

Deno.test("K2 architecture: the server has none of the code of native tools that opens files", async () => {
  const sources = new Map((await productFiles()).map(({ path, text }) => [placeInSource(path) ?? "", text]));
  const inside = (place: string) => {
    const [room, folder = ""] = place.split("/");
    return room === "toolbox" && !SERVER_SIDE.includes(folder);
  };
  const crossing = [...sources].filter(([place]) => !inside(place)).flatMap(([place, text]) =>
    importsOf(text).filter(({ specifier, typeOnly }) => !typeOnly && specifier.startsWith("."))
      .map(({ specifier }) => resolveInSource(place, specifier)).filter(inside).map((target) => `${place} -> ${target}`)
  );
  assert.deepStrictEqual(crossing, []);
  assert.ok(inside("toolbox/project/project.ts"));
});

Deno.test("architecture: all files name the same version of the runtime", async () => {
  const texts = await Promise.all(["README.md", "AGENTS.md", ".ci/run"].map((path) => {
    return Deno.readTextFile(new URL(path, ROOT));
  }));
  const versions = texts.flatMap((text) => text.match(/deno@[\w.^~-]+/g) ?? []);
  assert.deepStrictEqual([...new Set(versions)], ["deno@2.9.6"]);
});

/** The packages that are evaluated with `file` before its first line runs. */
function packagesLoadedBy(file: string, sources: ReadonlyMap<string, string>, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const { specifier, typeOnly, late } of importsOf(sources.get(file) ?? "")) {
    if (typeOnly || late) continue;
    if (!specifier.startsWith(".")) packages.add(specifier);
    else for (const one of packagesLoadedBy(resolveInSource(file, specifier), sources, seen)) packages.add(one);
  }
  return packages;
}

Deno.test("N3 architecture: start and plain sessions load no package, others the SDK: parsers and clients only when they are needed", async () => {
  const sources = new Map((await productFiles()).map(({ path, text }) => [placeInSource(path) ?? "", text]));
  assert.deepStrictEqual([...packagesLoadedBy("cli/program.ts", sources)], []);
  assert.deepStrictEqual([...packagesLoadedBy("service/connection/stdio_connection.ts", sources)], []);
  assert.deepStrictEqual([...packagesLoadedBy("service/connection/sdk_connection.ts", sources)].sort(), [
    "@modelcontextprotocol/server",
    "@modelcontextprotocol/server/stdio",
  ]);
  const seen = new Map([["a.ts", 'import "./b.ts";\nawait import("late");'], [
    "b.ts",
    'import type { T } from "t";\nimport "b";',
  ]]);
  assert.deepStrictEqual([...packagesLoadedBy("a.ts", seen)], ["b"]);
});

Deno.test("architecture: each package of deno.json is imported", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const files = (await Promise.all(["src/", "scripts/", "tests/"].map(filesUnder))).flat();
  const used = files.flatMap(({ text }) => importsOf(text).map(({ specifier }) => specifier));
  const imported = (name: string) => used.some((specifier) => specifier === name || specifier.startsWith(`${name}/`));
  assert.deepStrictEqual(Object.keys(imports).filter((name) => !imported(name)), []);
});

Deno.test(`architecture: CHANGELOG.md begins with the program's version, each section at most ${SECTION_LIMIT} lines`, async () => {
  const [, ...sections] = (await Deno.readTextFile(new URL("CHANGELOG.md", ROOT))).split(/^## /m);
  const long = sections.filter((section) => section.split("\n").length > SECTION_LIMIT);
  assert.deepStrictEqual([sections[0]?.split("\n")[0], long.map((section) => section.split("\n")[0])], [VERSION, []]);
});
