/** How git is asked what it obeys: a program that no command wrote, without variables that mislead it. */
import { words } from "../../base/text.ts";
import { isExecutableFile, searchPath } from "../../system/search_path.ts";
import { expected, parentOf, trustedPath } from "../../system/paths.ts";

/** For asking git; commands cannot influence any of it. */
export interface GitProgram {
  /** Canonical. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The user's; undefined: unknown. */
  readonly home: string | undefined;
}

/**
 * Lists all configuration with its files, and starts no program. `safe.directory`: the server's user may not be the
 * owner.
 */
export const GIT_QUESTION = words(
  "-c safe.directory=* -c safe.bareRepository=all --no-pager config --list --show-origin -z",
);

/** Where the user's git looks for configuration: so does the one that is asked. */
const PLACES: readonly string[] = ["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/** Undefined: the server's PATH has none outside the `writable` trees. */
export function findGit(
  server: Readonly<Record<string, string>>,
  { home, writable }: { readonly home: string | undefined; readonly writable: readonly string[] },
): GitProgram | undefined {
  for (const directory of searchPath(server["PATH"])) {
    const program = directory.startsWith("/") ? trustedPath(`${directory}/git`, writable) : undefined;
    const facts = program === undefined ? undefined : expected(() => Deno.statSync(program));
    if (program === undefined || facts === undefined || !isExecutableFile(facts)) continue;
    return {
      program,
      environment: {
        PATH: "/usr/bin:/bin",
        LC_ALL: "C",
        GIT_TERMINAL_PROMPT: "0",
        ...home === undefined ? {} : { HOME: home },
        ...Object.fromEntries(Object.entries(server).filter(([name]) => PLACES.includes(name))),
      },
      home,
    };
  }
  return undefined;
}

/** The directory that git takes a path to belong to: the next above that holds a `.git`; itself where none does. */
export function gitTop(directory: string): string {
  for (let at = directory;; at = parentOf(at)) {
    if (expected(() => Deno.lstatSync(`${at === "/" ? "" : at}/.git`)) !== undefined) return at;
    if (at === "/") return directory;
  }
}

/** Configuration files that could come into being in `directory`, or above it, in addition to those that an answer names. */
export function possibleSources(directory: string, { home, environment }: GitProgram): readonly string[] {
  const named = [environment["GIT_CONFIG_GLOBAL"], environment["GIT_CONFIG_SYSTEM"]];
  const user = environment["XDG_CONFIG_HOME"] ?? (home === undefined ? undefined : `${home}/.config`);
  return [
    ...["config", "commondir"].map((name) => `${directory}/.git/${name}`),
    "/etc/gitconfig",
    ...named.filter((path) => path !== undefined).filter((path) => path.startsWith("/")),
    ...home === undefined ? [] : [`${home}/.gitconfig`],
    ...user === undefined ? [] : [`${user}/git/config`],
  ];
}
