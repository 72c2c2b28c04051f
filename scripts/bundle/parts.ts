/**
 * Packs the program into six files, so that a start reads only what it needs before its first answer:
 *
 * - the program: everything up to the answer to `initialize`, no package;
 * - `session.mjs`: what serves a connection over stdio, no package; it is read when that answer is out;
 * - `toolbox.mjs`: native tools, where a group of them is offered;
 * - `service.mjs`: the SDK on top of it, for what clients rarely send;
 * - `data.mjs`: the shipped tools, prompts and skill;
 * - `rest.mjs`: what is rarely needed, each piece evaluated when it is asked for.
 *
 * The bundler splits the modules by who needs them; the pieces are then joined into these files.
 */
import { PROGRAM_PARTS } from "../../src/app/program/program_parts.ts";
import {
  importedFrom,
  isOlder,
  joinedExports,
  lateImportsOf,
  loadedWith,
  namedByContent,
  withLateImports,
  withNodeOnNeed,
  withSource,
} from "./module_text.ts";

export interface PartsOptions {
  /** Ends with a slash; what is made on the way is left there. */
  readonly work: URL;
  /** The file of the program. */
  readonly program: URL;
  /** The directory of the parts. */
  readonly parts: URL;
  /** Runs the bundler with these words in the directory of the sources; rejects when it fails. */
  readonly run: (words: readonly string[]) => Promise<void>;
}

const MAIN = "main.js";
/** What the bundler joins into a part. */
const ENTRY = "entry.js";
/**
 * Modules with which the parts after the program begin, as the bundler names them: what serves a connection and people, and what
 * warms a spare process up; native tools; the SDK.
 */
const BEGINNINGS: readonly (readonly RegExp[])[] = [
  [/^stdio_connection-/, /^connection_shells-/, /^warm_up-/, /^open_control-/],
  [/^open_toolbox-/],
  [/^sdk_connection-/],
];
/** Sources of data, as the bundler tells them. */
const DATA = /^\/\/ (?:tools|prompts|skills)\//m;
/** What imports a part by its address (src/app/program/program_parts.ts); `main.ts` exports it. */
const ADDRESS = `import { partAddress as __partAddress } from "./${MAIN}";\n`;
const PROGRAM = "../ahma_mcp.mjs";

/** The SDK's validator of schemas checks answers to `elicitInput()`, which this program does not call. */
const VALIDATOR = /\/@modelcontextprotocol\/server\/[^/]+\/dist\/ajvProvider-/;
const NO_VALIDATOR = `
var AjvJsonSchemaValidator = class {
  getValidator() {
    throw new Error("The packed program has no validator of JSON schemas");
  }
};

`;

type Texts = ReadonlyMap<string, string>;

/** One file that is packed: its modules by name, and those of them that others load late. */
interface Layer {
  readonly modules: Texts;
  readonly late: readonly string[];
}

/** Writes the files. @throws {Error} When the bundler fails, or writes what is not known here. */
export async function packParts({ work, program, parts, run }: PartsOptions): Promise<void> {
  const split = new URL("split/", work);
  await run(["--code-splitting", "--outdir", pathOf(split), "main.ts"]);
  const layers = layersOf(await textsIn(split));
  const targets = [program, ...PROGRAM_PARTS.map((part) => new URL(part, parts))];
  const external = ["--external", PROGRAM, ...PROGRAM_PARTS.flatMap((part) => ["--external", `./${part}`])];
  for (const index of targets.keys()) {
    const directory = new URL(`${index}/`, work);
    await Deno.mkdir(directory);
    for (const [name, text] of joinable(layers, index)) await Deno.writeTextFile(new URL(name, directory), text);
  }
  const packed = new URL("packed/", work);
  const entries = targets.map((_, index) => pathOf(new URL(`${index}/${ENTRY}`, work)));
  await run(["--minify", ...external, "--outdir", pathOf(packed), ...entries]);
  for (const [index, target] of targets.entries()) await Deno.rename(new URL(`${index}/${ENTRY}`, packed), target);
}

function pathOf(file: URL): string {
  return decodeURIComponent(file.pathname);
}

async function textsIn(directory: URL): Promise<Texts> {
  const names = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
  const texts = await Promise.all(names.map(async (name) => {
    return [name, withNodeOnNeed(await Deno.readTextFile(new URL(name, directory)))] as const;
  }));
  return await namedByContent(new Map(texts));
}

/** The modules of the program and of each part. */
function layersOf(all: Texts): readonly Layer[] {
  const texts = withoutValidator(all);
  const loaded = [new Set(loadedWith(MAIN, texts))];
  for (const beginnings of BEGINNINGS) {
    const names = beginnings.map((one) => [...texts.keys()].find((name) => one.test(name)));
    const all = names.flatMap((name) => [...loadedWith(name ?? String(beginnings), texts)]);
    loaded.push(new Set(all.filter((name) => !loaded.some((before) => before.has(name)))));
  }
  const late = new Set([...texts.values()].flatMap(lateImportsOf));
  const isLoaded = (name: string) => loaded.some((names) => names.has(name));
  return [
    ...loaded.map((names) => (name: string) => names.has(name)),
    (name: string) => DATA.test(texts.get(name) ?? ""),
    (name: string) => !isLoaded(name) && !DATA.test(texts.get(name) ?? ""),
  ].map((isHere) => {
    const modules = new Map([...texts].filter(([name]) => isHere(name)));
    return { modules, late: [...late].filter((name) => modules.has(name)) };
  });
}

/** @throws {Error} Where something calls what needs it. */
function withoutValidator(texts: Texts): Texts {
  const found = [...texts].filter(([, text]) => VALIDATOR.test(text));
  const calls = [...texts.values()].join("\n").match(/\.elicitInput\(/g) ?? [];
  // The SDK itself offers it to handlers.
  if (found.length !== 1 || calls.length !== 1) {
    throw new Error(`The validator is there ${found.length} times, calls of elicitInput() ${calls.length}`);
  }
  return new Map([...texts].map(([name, text]) => [
    name,
    name === found[0]?.[0] ? withSource(text, VALIDATOR, NO_VALIDATOR) : text,
  ]));
}

/** The modules of a layer as they can be joined, and the entry, which joins them. */
function joinable(layers: readonly Layer[], index: number): Texts {
  const { modules = new Map<string, string>() } = layers[index] ?? {};
  const layerOf = (module: string) => layers.findIndex(({ modules }) => modules.has(module));
  const fileOf = (module: string) => {
    const at = layerOf(module);
    if (at > index) throw new Error(`Module "${module}" is needed before its file is loaded`);
    return at === index ? undefined : at === 0 ? PROGRAM : `./${PROGRAM_PARTS[at - 1]}`;
  };
  const lateImport = (module: string) => {
    const at = layerOf(module);
    if (at <= BEGINNINGS.length && at === index || at === 0) {
      throw new Error(`Module "${module}" is imported late, and its file loads it at once: import it plainly`);
    }
    if (at === index) return lateWords(module, modules);
    // The runtime reads what a late import names at the start already, where it can see the name.
    return `import(__partAddress("${PROGRAM_PARTS[at - 1]}")).then((part) => part.late["${module}"]())`;
  };
  const joined = [...modules].map(([name, text]) => {
    const written = withLateImports(text, lateImport);
    return [name, importedFrom(written === text ? text : ADDRESS + written, fileOf)] as const;
  });
  return new Map([...joined, [ENTRY, entryOf(layers, index)]]);
}

/** A late import within a file. */
function lateWords(module: string, modules: Texts): string {
  const text = modules.get(module) ?? "";
  const words = `import("./${module}")`;
  return isOlder(text) ? `${words}.then((all) => ({ ...all.default, ...all }))` : words;
}

function entryOf(layers: readonly Layer[], index: number): string {
  const { modules, late } = layers[index] ?? { modules: new Map(), late: [] };
  if (index === 0) return `import "./${MAIN}";\n${joinedExports(modules)}`;
  if (index > BEGINNINGS.length) {
    const members = late.map((name) => `"${name}": () => ${lateWords(name, modules)}`);
    return `export const late = { ${members.join(", ")} };\n`;
  }
  const imports = late.map((name, at) => `import * as late${at} from "./${name}";\n`).join("");
  const members = late.map((name, at) => `"${name}": () => late${at}`);
  return `${imports}export const late = { ${members.join(", ")} };\n${joinedExports(modules)}`;
}
