/**
 * Packs the program with its packages and data. `dist/ahma_mcp.mjs` has everything up to the first answer, `dist/worker`
 * the files that are loaded later and those of workers, and `dist/ahma_mcp` is a script that runs the program.
 */
import { PROGRAM_PARTS } from "../src/app/program/program_parts.ts";
import { VERSION } from "../src/base/version.ts";
import { withEagerFunctions } from "./bundle/eager_functions.ts";
import { packParts } from "./bundle/parts.ts";
import { packGrammars } from "./bundle/grammars.ts";
import { SERVER_RUN_FLAGS, START_FLAGS } from "./permissions.ts";
import { say } from "./say.ts";

const ROOT = new URL("../", import.meta.url);
const PROGRAM = "ahma_mcp.mjs";
/** The part that each session needs. */
const STARTING: typeof PROGRAM_PARTS[number] = "session.mjs";
/**
 * The files that run native tools inside the sandbox (K2), in one flat directory. The start of the program should not
 * read their packages, so each package is a file that its first call loads.
 */
const WORKER = "worker";
/** Of a worker, and of a process that it starts for itself. */
const FIRST_MODULES: readonly string[] = ["worker", "helper", "script"];
/** The bundler's hash in the name of a file, which depends on the path to the cache of packages. */
const MARK = /-[A-Z0-9]{8}(?=\.js\b)/g;

await bundleWorker();
await bundleProgram();
await packData();
await writeLauncher();
Deno.exitCode = await starts() ? 0 : 1;

async function bundleProgram(): Promise<void> {
  const work = new URL("dist/.pack/", ROOT);
  await Deno.remove(work, { recursive: true }).catch(ignoreMissing);
  await Deno.mkdir(work, { recursive: true });
  const program = new URL(`dist/${PROGRAM}`, ROOT);
  const parts = new URL(`dist/${WORKER}/`, ROOT);
  await packParts({ work, program, parts, run: bundle });
  await Deno.remove(work, { recursive: true });
  for (const file of [program, ...PROGRAM_PARTS.map((part) => new URL(part, parts))]) {
    await escapeNonAscii(file);
    await checkImports(file);
  }
  for (const file of [program, new URL(STARTING, parts)]) {
    await Deno.writeTextFile(file, withEagerFunctions(await Deno.readTextFile(file)));
  }
}

async function bundleWorker(): Promise<void> {
  const directory = new URL(`dist/${WORKER}/`, ROOT);
  await Deno.remove(directory, { recursive: true }).catch(ignoreMissing);
  const modules = FIRST_MODULES.map((name) => `src/toolbox/worker/${name}.ts`);
  await bundle(["--minify", "--code-splitting", "--outdir", `dist/${WORKER}`, ...modules]);
  const names = await nameByContent(directory);
  const older = await olderPackages(directory, names);
  for (const name of names) {
    await escapeNonAscii(new URL(name, directory));
    await hideLateImports(new URL(name, directory), older);
  }
  for (const name of FIRST_MODULES) {
    const first = await Deno.readTextFile(new URL(`${name}.js`, directory));
    const loaded = nodeModulesOf(first).filter((name) => name !== "node:buffer" && name !== "node:timers");
    if (loaded.length > 0) throw new Error(`Loaded at the start of a ${name}: ${loaded.join(", ")}`);
  }
}

/** Gives each file a name that follows from its content alone, so that each directory makes the same bytes; the names. */
async function nameByContent(directory: URL): Promise<readonly string[]> {
  const before = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
  const named = new Map(
    await Promise.all(before.map(async (name) => {
      const text = (await Deno.readTextFile(new URL(name, directory))).replaceAll(MARK, "");
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
      return [name, name.replaceAll(MARK, `-${digest.slice(0, 8)}`)] as const;
    })),
  );
  for (const [old, name] of named) {
    const text = await Deno.readTextFile(new URL(old, directory));
    await Deno.remove(new URL(old, directory));
    const renamed = text.replace(
      /"\.\/([^"]+\.js)"/g,
      (words, other: string) => named.has(other) ? `"./${named.get(other)}"` : words,
    );
    await Deno.writeTextFile(new URL(name, directory), renamed);
  }
  return [...named.values()];
}

/**
 * If the runtime can see the name in a lazy import, it reads the file at the start: 0.2 s and 70 MB here. A CommonJS
 * package has only a default export; its members are exported by name too, as in the sources.
 */
async function hideLateImports(path: URL, older: readonly string[]): Promise<void> {
  const text = await Deno.readTextFile(path);
  const hidden = text.replace(/\bimport\("\.\/([^"]+)"\)/g, (_, name: string) => {
    const late = `import(String("./${name}"))`;
    return older.includes(name) ? `${late}.then((all)=>({...all.default,...all}))` : late;
  });
  await Deno.writeTextFile(path, hidden);
}

/** Files of packages that export only `module.exports`. */
async function olderPackages(directory: URL, names: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(new URL(name, directory))));
  return names.filter((_, index) => /\bexport default [\w$]+\(\);?\s*$/.test(texts[index] ?? ""));
}

async function bundle(words: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--unstable-raw-imports", "--platform", "deno", ...words],
    cwd: ROOT,
    // The bundler is a program in Go, whose garbage collection would take a third of its time. It begins at that much.
    env: { GOGC: "off", GOMEMLIMIT: "1GiB" },
    stdin: "null",
  }).spawn().status;
  if (!success) throw new Error(`The bundler failed: ${words.join(" ")}`);
}

function ignoreMissing(thrown: unknown): void {
  if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
}

/** Grammars of the worker. */
async function packData(): Promise<void> {
  const sizes = await packGrammars(new URL("dist/worker/", ROOT));
  const total = sizes.values().reduce((sum, size) => sum + size, 0);
  say(`Packed ${sizes.size} files of grammars, ${(total / 1e6).toFixed(1)} MB`);
}

/** Checks that a file loads no `node:` module: the smallest costs a tenth of a start. @throws {Error} If it does. */
async function checkImports(path: URL): Promise<void> {
  const found = nodeModulesOf(await Deno.readTextFile(path));
  if (found.length > 0) {
    throw new Error(`Loaded with "${path.pathname}": ${found.join(", ")}. Import it where it is needed`);
  }
}

/** The `node:` modules that a packed file loads before its first line runs. */
function nodeModulesOf(text: string): readonly string[] {
  return [...text.matchAll(/\bimport(?:[\s\w${},*]+from)? ?"(node:[^"]+)"/g)].map(([, name = ""]) => name);
}

/**
 * Escapes all characters beyond ASCII. The engine stores ASCII text in one byte a character and other text in two: a
 * dozen quotation marks would cost 3 MB and a slower start. Each is in a string or a pattern, where its escape means
 * the same.
 */
async function escapeNonAscii(path: URL): Promise<void> {
  const text = await Deno.readTextFile(path);
  const escaped = text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  await Deno.writeTextFile(path, escaped);
}

async function writeLauncher(): Promise<void> {
  const launcher = new URL("dist/ahma_mcp", ROOT);
  const script = await Deno.readTextFile(new URL("scripts/bundle/ahma_mcp.sh", ROOT));
  await Deno.writeTextFile(launcher, script.replace("@FLAGS@", START_FLAGS.join(" ")));
  await Deno.chmod(launcher, 0o755);
}

/** Runs the result: bundling can succeed with a wrong order of modules, and a run shows that at once. */
async function starts(): Promise<boolean> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...SERVER_RUN_FLAGS, `dist/${PROGRAM}`, "--version"],
    cwd: ROOT,
  }).output();
  const text = new TextDecoder();
  const ok = text.decode(stdout) === `ahma_mcp ${VERSION}\n`;
  const { size } = await Deno.stat(new URL(`dist/${PROGRAM}`, ROOT));
  say(ok ? `Packed dist/${PROGRAM}, ${Math.round(size / 1024)} KiB` : `Packed program does not start:`);
  if (!ok) say(text.decode(stderr));
  return ok;
}
