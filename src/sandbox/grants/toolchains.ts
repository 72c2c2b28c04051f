/** What programs on PATH need: version managers and prefixes, by real paths and links, never all of home (S4). */

import { words } from "../../base/text.ts";
import { expected, isWithin, parentOf } from "../../system/paths.ts";

/** Full of links, all of them within `/usr`. */
const SYSTEM_PROGRAMS: readonly string[] = ["/usr/bin", "/usr/sbin"];

/** Below home, a directory of one of these holds whole tool chains: program, libraries, settings of the manager. */
const MANAGERS = words(
  ".asdf .bun .deno .fnm .ghcup .goenv .jenv .local/share/mise .nodenv .nvm .pyenv .rbenv .rustup .sdkman .volta",
);

/** Next to a `bin` directory: what programs of the same prefix load. */
const PREFIX_PARTS = ["include", "lib", "lib64", "libexec", "share"] as const;

/** What decides the answer. */
export interface ToolchainQuestion {
  /** Absolute directories, in order. */
  readonly path: readonly string[];
  /** Directories that variables such as JAVA_HOME name. */
  readonly homes: readonly string[];
  /** Canonical; undefined: no rule about home applies. */
  readonly home: string | undefined;
  /** The canonical path of what may be trusted; undefined: it is missing, or a command may have planted it. */
  readonly resolve: (path: string) => string | undefined;
}

/** Directories and programs to read and execute, without duplicates; some may not exist or be canonical. */
export function toolchainDirectories({ path, homes, home, resolve }: ToolchainQuestion): readonly string[] {
  const found = new Set<string>();
  for (const directory of homes.map(resolve)) {
    if (directory !== undefined && isNarrow(directory, home)) found.add(directory);
  }
  for (const entry of path) {
    const directory = resolve(entry);
    if (directory === undefined || SYSTEM_PROGRAMS.includes(directory)) continue;
    for (const root of rootsOf(directory, home)) found.add(root);
    for (const link of linksIn(directory)) {
      const target = resolve(link);
      if (target === undefined || parentOf(target) === directory) continue;
      for (const root of rootsOfProgram(target, home)) found.add(root);
    }
  }
  return [...found];
}

/** The trees a program in `directory` needs. Pure. */
export function rootsOf(directory: string, home: string | undefined): readonly string[] {
  if (!isNarrow(directory, home)) return [];
  const manager = MANAGERS.find((name) => home !== undefined && isWithin(directory, `${home}/${name}`));
  if (manager !== undefined) return [`${home}/${manager}`];
  if (directory.endsWith("/.cargo/bin")) return [directory, `${parentOf(parentOf(directory))}/.rustup`];
  if (directory.endsWith("/node_modules/.bin")) return [parentOf(directory)];
  const name = directory.slice(directory.lastIndexOf("/") + 1);
  if (name !== "bin" && name !== "sbin") return [directory];
  const prefix = parentOf(directory);
  if (prefix === home || prefix === "/") return [directory];
  const parts = prefix === `${home}/.local` ? ["lib"] : PREFIX_PARTS;
  return [directory, ...parts.map((part) => `${prefix}/${part}`)];
}

/** What the target of a link on the PATH needs: a script in a project opens only itself, not the project. Pure. */
export function rootsOfProgram(program: string, home: string | undefined): readonly string[] {
  const roots = rootsOf(parentOf(program), home);
  return roots.length === 1 && roots[0] === parentOf(program) ? [program] : roots;
}

/** Neither the root, nor home, nor a parent of home. */
function isNarrow(directory: string, home: string | undefined): boolean {
  return directory !== "/" && directory !== home && home?.startsWith(directory + "/") !== true;
}

function linksIn(directory: string): readonly string[] {
  const entries = expected(() => [...Deno.readDirSync(directory)]) ?? [];
  return entries.filter((entry) => entry.isSymlink).map((entry) => `${directory}/${entry.name}`);
}
