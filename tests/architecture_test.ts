/** What holds the layout of design.md together: floors, cycles, sizes, who may start and end what, and cited ids. */
import assert from "node:assert/strict";
import { importProblem, placeInSource, resolveInSource } from "../scripts/floors.ts";
import { KNOWN_IDS, PROVEN_IDS } from "./requirements.ts";

const ROOT = new URL("../", import.meta.url);
const LINE_LIMIT = 400;
/** What only tests use. */
const SUPPORT = "/_support/";

interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

async function filesUnder(folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory && path !== "tests/fixtures") files.push(...await filesUnder(`${path}/`));
    if (entry.isFile && path.endsWith(".ts")) files.push({ path, text: await Deno.readTextFile(new URL(path, ROOT)) });
  }
  return files.sort((a, b) => a.path < b.path ? -1 : 1);
}

async function productFiles(): Promise<SourceFile[]> {
  const files = (await filesUnder("src/")).filter(({ path }) => !path.endsWith("_test.ts") && !path.includes(SUPPORT));
  assert.ok(files.length > 20, "the sources were not found");
  return files;
}

/** Comments go; strings stay, since imports are strings. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const fixed = code.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]*?\sfrom\s+|\{[^}]*\}\s*from\s+)?"([^"]+)"/gm,
  );
  const dynamic = code.matchAll(/\bimport\(\s*"([^"]+)"/g);
  return [
    ...fixed.map((match) => ({ specifier: match[2] ?? "", typeOnly: match[1] !== undefined })),
    ...dynamic.map((match) => ({ specifier: match[1] ?? "", typeOnly: false })),
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

/** Names given to tests and to their steps. */
function testNames(text: string): string[] {
  const code = withoutComments(text);
  const names = code.matchAll(/(?:Deno\.test(?:\.\w+)?|\.step)\(\s*(?:"([^"]*)"|`([^`]*)`)/g);
  const fields = code.matchAll(/^\s*name:\s*(?:"([^"]*)"|`([^`]*)`)/gm);
  return [...names, ...fields].map((match) => match[1] ?? match[2] ?? "");
}

function citedIds(name: string): string[] {
  return name.match(/\b[STXPBCLNMQHOD]\d{1,2}\b/g) ?? [];
}

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
// import "./comment.ts";
const h = await import("./h.ts");`;
  const specifiers = importsOf(text).map((found) => found.specifier);
  assert.deepStrictEqual(specifiers, ["./a.ts", "./b.ts", "./c.ts", "./e.ts", "./f.ts", "./g.ts", "./h.ts"]);
  assert.deepStrictEqual(importsOf(text).filter((found) => found.typeOnly).map((found) => found.specifier), ["./b.ts"]);
});

Deno.test("architecture: every import goes to a lower floor or stays in its room", async () => {
  const problems: string[] = [];
  for (const file of await filesUnder("src/")) {
    const place = placeInSource(file.path) ?? "";
    for (const { specifier } of importsOf(file.text)) {
      const problem = importProblem(place, specifier);
      if (problem !== undefined) problems.push(`${file.path}: ${problem}`);
    }
  }
  assert.deepStrictEqual(problems, []);
});

Deno.test("architecture: no files import each other in a circle", async () => {
  const graph = new Map<string, string[]>();
  for (const file of await productFiles()) {
    const place = placeInSource(file.path) ?? "";
    const targets = importsOf(file.text).filter((found) => !found.typeOnly && found.specifier.startsWith("."));
    graph.set(place, targets.map((found) => resolveInSource(place, found.specifier)));
  }
  assert.strictEqual(findCycle(graph), undefined);
  assert.deepStrictEqual(findCycle(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c", "b"]);
});

Deno.test(`architecture: no file is longer than ${LINE_LIMIT} lines`, async () => {
  const files = [...await filesUnder("src/"), ...await filesUnder("scripts/"), ...await filesUnder("tests/")];
  const long = files.map((file) => ({ path: file.path, lines: file.text.split("\n").length - 1 }))
    .filter((file) => file.lines > LINE_LIMIT);
  assert.deepStrictEqual(long, []);
});

Deno.test("architecture: each test file sits beside the source it tests", async () => {
  const paths = new Set((await filesUnder("src/")).map((file) => file.path));
  const lonely = [...paths].filter((path) => path.endsWith("_test.ts"))
    .filter((path) => !paths.has(path.replace(/_test\.ts$/, ".ts")));
  assert.deepStrictEqual(lonely, []);
});

Deno.test("architecture: what only tests use is used by tests only", async () => {
  const imported = (await productFiles()).flatMap(({ text }) => importsOf(text).map(({ specifier }) => specifier));
  assert.deepStrictEqual(imported.filter((specifier) => specifier.includes(SUPPORT)), []);
});

Deno.test("S3 architecture: one file starts processes, and nothing else can", async () => {
  const files = await productFiles();
  assert.deepStrictEqual(pathsWith(files, /\bDeno\s*(\.|\[")\s*(Command|spawn)/), ["src/process/spawn.ts"]);
  assert.deepStrictEqual(pathsWith(files, /child_process|node:cluster|\bnew Worker\b/), []);
  assert.deepStrictEqual(pathsWith(files, /\bDeno\s*\[(?!")|=\s*Deno\s*;|globalThis\s*(\.|\[")Deno/), []);
});

Deno.test("architecture: only main.ts ends the program", async () => {
  assert.deepStrictEqual(pathsWith(await productFiles(), /\bDeno\.exit\b|\bprocess\.exit\b/), []);
  assert.match(await Deno.readTextFile(new URL("main.ts", ROOT)), /Deno\.exit\(/);
});

Deno.test("C2 architecture: only two files name stdout, to hand it out and to print help", async () => {
  const allowed = new Set(["src/cli/print.ts", "src/cli/serve.ts"]);
  const writers = pathsWith(await productFiles(), /\bDeno\.stdout\b|\bprocess\.stdout\b|\bconsole\./);
  assert.deepStrictEqual(writers.filter((path) => !allowed.has(path)), []);
});

Deno.test("architecture: one version of the runtime is named everywhere", async () => {
  const texts = await Promise.all(["README.md", "AGENTS.md", ".ci/run"].map((path) => {
    return Deno.readTextFile(new URL(path, ROOT));
  }));
  const versions = texts.flatMap((text) => text.match(/deno@[\w.^~-]+/g) ?? []);
  assert.deepStrictEqual([...new Set(versions)], ["deno@2.9.6"]);
});

async function idsInTestNames(): Promise<Set<string>> {
  const files = [...await filesUnder("src/"), ...await filesUnder("scripts/"), ...await filesUnder("tests/")];
  const names = files.filter((file) => file.path.endsWith("_test.ts")).flatMap((file) => testNames(file.text));
  return new Set(names.flatMap(citedIds));
}

Deno.test("architecture: test names cite requirements that exist", async () => {
  assert.deepStrictEqual([...await idsInTestNames()].filter((id) => !KNOWN_IDS.includes(id)), []);
});

Deno.test("architecture: every finished requirement is named by a test", async () => {
  const cited = await idsInTestNames();
  assert.deepStrictEqual(PROVEN_IDS.filter((id) => !cited.has(id)), [], "ids that no test names");
});
