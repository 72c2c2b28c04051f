/** Reads and rewrites the modules that the bundler wrote: unminified, imports first, exports last. Pure. */

/** One imported name: in the other module, and in this one. */
interface Binding {
  readonly there: string;
  readonly here: string;
}

const IMPORT = /^import (?:\{([^}]*)\} from )?"\.\/([^"]+)";$/gm;
const EXPORT = /^export \{([^}]*)\};$/gm;
const LATE = /\bimport\("\.\/([^"]+)"\)/g;

function bindings(list: string): readonly Binding[] {
  return list.split(",").map((one) => one.trim()).filter((one) => one !== "").map((one) => {
    const [there = "", here = there] = one.split(" as ");
    return { there, here };
  });
}

/** The modules that this one imports statically. */
export function importsOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, , name = ""]) => name);
}

/** The modules that this one imports lazily. */
export function lateImportsOf(text: string): readonly string[] {
  return [...text.matchAll(LATE)].map(([, name = ""]) => name);
}

/** Names that the module exports. */
export function exportsOf(text: string): readonly string[] {
  return [...text.matchAll(EXPORT)].flatMap(([, list = ""]) => bindings(list).map(({ here }) => here));
}

/** A unique export name for a file of several modules, two of which may export the same name. */
export function exportedName(module: string, name: string): string {
  return `${module.replaceAll(/\W/g, "_")}_${name}`;
}

/** Lines that export everything of these modules under names of their own. */
export function joinedExports(modules: ReadonlyMap<string, string>): string {
  return [...modules].map(([name, text]) => {
    const list = exportsOf(text).map((one) => `${one} as ${exportedName(name, one)}`).join(", ");
    return `export { ${list} } from "./${name}";\n`;
  }).join("");
}

/** The text with imports of modules that `fileOf` puts into another file taken from there. */
export function importedFrom(text: string, fileOf: (module: string) => string | undefined): string {
  return text.replace(IMPORT, (line, list: string | undefined, module: string) => {
    const file = fileOf(module);
    if (file === undefined) return line;
    if (list === undefined) return `import "${file}";`;
    const renamed = bindings(list).map(({ there, here }) => `${exportedName(module, there)} as ${here}`);
    return `import { ${renamed.join(", ")} } from "${file}";`;
  });
}

/** The text with each lazy import replaced by the result of `write`; undefined keeps it. */
export function withLateImports(text: string, write: (module: string) => string | undefined): string {
  return text.replaceAll(LATE, (words, module: string) => write(module) ?? words);
}

/** Everything that loads with `first`, itself included. @throws {Error} When a module is missing. */
export function loadedWith(first: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [first];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const text = texts.get(name);
    if (text === undefined) throw new Error(`Module "${name}" is imported, and the bundler has not written it`);
    found.add(name);
    waiting.push(...importsOf(text));
  }
  return found;
}

/** A part of a module, from the comment that names its source to the next. @throws {Error} Where it is not there once. */
export function withSource(text: string, source: RegExp, replacement: string): string {
  const parts = text.split(/^(?=\/\/ \S+\.[cm]?[jt]s$)/m);
  const found = parts.filter((part) => source.test(part.slice(0, part.indexOf("\n"))));
  if (found.length !== 1) throw new Error(`Source ${source} is there ${found.length} times`);
  return parts.map((part) => part === found[0] ? replacement : part).join("");
}

/** Whether a module is a package that exports only `module.exports`. */
export function isOlder(text: string): boolean {
  return /\bexport default [\w$]+\(\);?\s*$/.test(text);
}

/**
 * The text with `node:` modules loaded at their first use. The SDK imports `node:process` for the streams of a transport
 * that this program does not use, which would cost a tenth of a start and 7 MB. CommonJS packages call `require`, for
 * which the bundler loads `node:module`.
 */
export function withNodeOnNeed(text: string): string {
  return text
    .replace(
      /^import (\w+) from "node:process";$/gm,
      "var $1 = new Proxy({}, { get: (_, name) => globalThis.process[name] });",
    )
    .replace(
      /^import \{ createRequire as (\w+) \} from "node:module";\nvar (\w+) = \1\(import\.meta\.url\);$/gm,
      "var $2 = (name) => globalThis.process.getBuiltinModule(name);",
    );
}

/** The bundler's hash in the name of a module, which depends on the path from the sources to the cache of packages. */
const MARK = /-[A-Z0-9]{8}(?=\.js\b)/g;

/**
 * The modules under names that depend only on their content, in the order of these names, and without the paths of their
 * sources. So the program is the same in every directory. @throws {Error} If two modules would have the same name.
 */
export async function namedByContent(texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const plain = [...texts].map(([name, text]) => [name, withoutPaths(text)] as const);
  const names = new Map(
    await Promise.all(plain.map(async ([name, text]) => {
      const bytes = new TextEncoder().encode(text.replaceAll(MARK, "").replaceAll(/^\/\/ .*$/gm, ""));
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 8);
      return [name, name.replaceAll(MARK, `-${digest}`)] as const;
    })),
  );
  if (new Set(names.values()).size !== names.size) throw new Error("Two modules have one content");
  const renamed = plain.map(([name, text]) =>
    [
      names.get(name) ?? name,
      text.replaceAll(/"\.\/([^"]+\.js)"/g, (words, other: string) => {
        const to = names.get(other);
        return to === undefined ? words : `"./${to}"`;
      }),
    ] as const
  );
  return new Map(renamed.toSorted(([one], [other]) => one < other ? -1 : 1));
}

/** Wrapped modules contain the paths of their sources. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?<=__(?:commonJS|esm)\(\{\s*)"[^"]*"(?=\()/g, '"source"');
}
