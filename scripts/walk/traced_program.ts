/** Packs the program so that each function of ours notes who called it, across `await` too. */
import { parse } from "acorn";

const ROOT = new URL("../../", import.meta.url);
const WORKERS: readonly string[] = ["worker", "helper", "script"].map((name) => `src/toolbox/worker/${name}.ts`);
/** The bundler names the source of what follows. */
const SOURCE = /^\/\/ \S*?(src\/\S+\.ts)$|^\/\/ .+$/gm;

/** A node of a syntax tree. */
interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Words that are put at a place of a text. */
type Insertion = readonly [at: number, words: string];

/**
 * Writes the program to `directory`, and its first module's path. While `notes` has a file `on`, each process adds its
 * calls to a file there: a line for each, the function first, then its callers.
 */
export async function packTraced(directory: string, notes: string): Promise<string> {
  await bundle(["--outdir", directory, "main.ts"]);
  await bundle(["--outdir", `${directory}/dist/worker`, ...WORKERS]);
  for (const folder of [directory, `${directory}/dist/worker`]) {
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".js")) continue;
      const path = `${folder}/${name}`;
      await Deno.writeTextFile(path, traced(await Deno.readTextFile(path), notes));
    }
  }
  return `${directory}/main.js`;
}

async function bundle(words: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--unstable-raw-imports", "--platform", "deno", "--code-splitting", ...words],
    cwd: ROOT,
    stdin: "null",
  }).spawn().status;
  if (!success) throw new Error(`The bundler failed: ${words.join(" ")}`);
}

function traced(text: string, notes: string): string {
  const sources = [...text.matchAll(SOURCE)];
  const sourceOf = (at: number) => sources.findLast(({ index }) => index < at)?.[1];
  const tree: unknown = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  const insertions = [...insertionsIn(tree as Syntax, "", sourceOf)].sort(([one], [other]) => one - other);
  let rest = 0;
  const parts = insertions.map(([at, words]) => {
    const before = text.slice(rest, at);
    rest = at;
    return before + words;
  });
  return `${tracer(notes)}${parts.join("")}${text.slice(rest)}`;
}

/** What each module begins with: the modules of a process share one chain of callers. */
function tracer(notes: string): string {
  return `import { AsyncLocalStorage as __Storage } from "node:async_hooks";
const __callers = globalThis.__callers ??= new __Storage();
const __isOn = () => { try { Deno.statSync(${JSON.stringify(`${notes}/on`)}); return true; } catch { return false; } };
const __call = (name, run) => {
  const call = { name, by: __callers.getStore() };
  if (__isOn()) {
    const names = [];
    for (let one = call; one !== undefined && names.length < 200; one = one.by) names.push(one.name);
    Deno.writeTextFileSync(${JSON.stringify(notes)} + "/" + Deno.pid, names.join("<") + "\\n", { append: true });
  }
  return __callers.run(call, run);
};
`;
}

function* insertionsIn(
  node: Syntax,
  name: string,
  sourceOf: (at: number) => string | undefined,
): Generator<Insertion> {
  const isFunction = /Function/.test(node.type);
  const own = isFunction ? nameIn(node["id"]) ?? name : nameIn(node["key"]) ?? nameIn(node["id"]) ?? name;
  const source = isFunction ? sourceOf(node.start) : undefined;
  if (source !== undefined && node["generator"] !== true && own !== "constructor") {
    const body = node["body"] as Syntax;
    const begun = `__call("${source.slice("src/".length)}:${own}", ${node["async"] === true ? "async " : ""}() => `;
    const isBlock = body.type === "BlockStatement";
    yield isBlock ? [body.start + 1, `return ${begun}{`] : [body.start, `${begun}(`];
    yield isBlock ? [body.end - 1, "})"] : [body.end, "))"];
  }
  for (const child of Object.values(node).flat()) {
    if (isSyntax(child)) yield* insertionsIn(child, own, sourceOf);
  }
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function nameIn(node: unknown): string | undefined {
  return isSyntax(node) && typeof node["name"] === "string" ? node["name"] : undefined;
}
