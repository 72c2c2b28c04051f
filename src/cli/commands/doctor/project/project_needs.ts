/** What the files of a project ask for: programs, versions, places, variables. Pure; nothing is said about the sandbox. */
import { words } from "../../../../base/text.ts";
import { shorten } from "../../../../base/visible_text.ts";
import { absolutePath, isWithin, normalPath } from "../../../../system/paths.ts";
import { ADDRESSES } from "./network_names.ts";
import type { ProjectDirectory } from "./project_files.ts";
import {
  CONTAINERS,
  type FilePatterns,
  HOMES,
  type HookManager,
  HOOKS,
  OFFLINE,
  PLACES,
  PYTHON_TOOLS,
  SOCKETS,
  TESTS_IN_CONTAINERS,
  TOOLS,
  TOOLS_BY_ENDING,
  VARIABLES,
  VERSIONS,
  WRAPPED,
} from "./project_names.ts";

/** Something that a file asks for. */
export interface Need<Name extends string = string> {
  readonly name: Name;
  /** The file, from the scope, as it can be shown. */
  readonly file: string;
  /** The directory of the file. */
  readonly directory: string;
}

/** A program, and the version that a file wants of it; undefined: any. */
export interface ToolNeed extends Need {
  readonly wanted: { readonly version: string; readonly file: string } | undefined;
}

/** All that is asked for. */
export interface ProjectNeeds {
  readonly tools: readonly ToolNeed[];
  /** Whether packages are fetched. */
  readonly packages: boolean;
  /** Addresses of registries and repositories. */
  readonly addresses: readonly string[];
  /** Absolute paths outside the scope. */
  readonly places: readonly Need[];
  /** Names of variables. */
  readonly variables: readonly Need[];
  /** Absolute paths of Unix sockets. */
  readonly sockets: readonly Need[];
  readonly hooks: readonly Need<HookManager>[];
  /** What is built or started by docker. */
  readonly containers: readonly Need[];
  /** Names of git's filters, as git-lfs has one. */
  readonly filters: readonly Need[];
  /** Addresses of submodules. */
  readonly submodules: readonly Need[];
  /** A variable and the directory below home that its program uses without it, in one text. */
  readonly homes: readonly Need[];
}

/** How many of a kind are examined: a file may name any number. */
const MOST = 16;
const MOST_MATCHES = 100;

/** What these directories, those of one scope, ask for. */
export function needsOf(directories: readonly ProjectDirectory[]): ProjectNeeds {
  const tools = directories.flatMap((directory) => toolsIn(directory, directories));
  const first = tools.filter(({ name }, at) => tools.findIndex((one) => one.name === name) === at);
  const top = directories.slice(0, 1);
  return {
    tools: first,
    packages: first.some(({ name }) => !OFFLINE.some((one) => one === name)),
    addresses: [...new Set(found(directories, ADDRESSES).map(({ name }) => name))].slice(0, MOST_MATCHES),
    places: some(placesOutside(directories)),
    variables: some(found(directories, VARIABLES)),
    sockets: some(found(directories, SOCKETS)),
    hooks: top.flatMap((directory) => unique(hooksIn(directory))),
    containers: unique(directories.flatMap(containersIn)).slice(0, 1),
    filters: some(found(top, [[".gitattributes", /\bfilter=([\w.-]{1,60})/g]])),
    submodules: some(found(top, [[".gitmodules", /^[ \t]*url[ \t]*=[ \t]*(\S+)/gm]])),
    homes: unique(directories.flatMap((directory) => namedFiles(directory, HOMES))),
  };
}

function toolsIn(directory: ProjectDirectory, all: readonly ProjectDirectory[]): readonly ToolNeed[] {
  const { names } = directory;
  const files = [...Object.entries(TOOLS).filter(([file]) => names.has(file)), ...namedByEnding(names)];
  const asked = files
    .flatMap(([file, programs]) => programs.split(" ").map((name) => ({ ...need(directory, file), name })))
    .concat(pythonTools(directory))
    .filter(({ name }) => !names.has(WRAPPED[name] ?? ""));
  const hasManager = words("npm pnpm yarn bun").some((manager) => asked.some(({ name }) => name === manager));
  // A member of a workspace has no lock file.
  const isInner = all.some((outer) =>
    outer !== directory && outer.names.has("package.json") && isWithin(directory.path, outer.path)
  );
  const more = names.has("package.json") && !hasManager && !isInner
    ? [{ ...need(directory, "package.json"), name: managerOf(directory.text("package.json") ?? "") }]
    : [];
  return [...asked, ...more].map((one) => ({ ...one, wanted: wantedOf(one.name, directory) }));
}

/** Files that a person named, each with the program that asks for it. */
function namedByEnding(names: ReadonlySet<string>): readonly (readonly [file: string, program: string])[] {
  return Object.entries(TOOLS_BY_ENDING).flatMap(([ending, program]) => {
    const file = [...names].filter((name) => name.endsWith(ending)).sort()[0];
    return file === undefined ? [] : [[file, program]];
  });
}

function pythonTools(directory: ProjectDirectory): readonly Need[] {
  const text = directory.text("pyproject.toml") ?? "";
  return PYTHON_TOOLS.filter(([, section]) => section.test(text))
    .map(([name]) => ({ ...need(directory, "pyproject.toml"), name }));
}

/** As corepack reads it. */
function managerOf(text: string): string {
  return /"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@/.exec(text)?.[1] ?? "npm";
}

function wantedOf(program: string, directory: ProjectDirectory): ToolNeed["wanted"] {
  return VERSIONS.filter(([, name]) => name === program).flatMap(([file, , pattern]) => {
    const version = pattern.exec(directory.text(file) ?? "")?.[1];
    return version === undefined ? [] : [{ version, file: need(directory, file).file }];
  })[0];
}

function namedFiles<Name extends string>(directory: ProjectDirectory, names: Readonly<Record<string, Name>>) {
  return Object.entries(names).filter(([file]) => directory.names.has(file))
    .map(([file, name]): Need<Name> => ({ ...need(directory, file), name }));
}

function hooksIn(directory: ProjectDirectory): readonly Need<HookManager>[] {
  const files = namedFiles(directory, HOOKS);
  const isPrepared = /"husky(?: install)?"|&&\s*husky\b/.test(directory.text("package.json") ?? "");
  return isPrepared ? [...files, { ...need(directory, "package.json"), name: "husky" }] : files;
}

function containersIn(directory: ProjectDirectory): readonly Need[] {
  const files = CONTAINERS.filter((file) => directory.names.has(file)).map((file) => ({
    ...need(directory, file),
    name: "docker",
  }));
  const tests = TESTS_IN_CONTAINERS.filter((file) => directory.text(file)?.includes("testcontainers") === true);
  return [...files, ...tests.map((file) => ({ ...need(directory, file), name: "docker" }))];
}

function placesOutside(directories: readonly ProjectDirectory[]): readonly Need[] {
  const scope = directories[0]?.path ?? "/";
  return found(directories, PLACES).map((one) => ({ ...one, name: normalPath(absolutePath(one.name, one.directory)) }))
    .filter(({ name }) => !isWithin(name, scope));
}

/** What the patterns find in files of these names. */
function found(
  directories: readonly ProjectDirectory[],
  patterns: FilePatterns,
): readonly Need[] {
  return directories.flatMap((directory) =>
    patterns.flatMap(([file, pattern]) => {
      const matches = (directory.text(file) ?? "").matchAll(pattern).take(MOST_MATCHES);
      return [...matches].map((match) => ({ ...need(directory, file), name: match[1] ?? match[0] }));
    })
  );
}

function some<One extends Need>(needs: readonly One[]): readonly One[] {
  return unique(needs).slice(0, MOST);
}

function unique<One extends Need>(needs: readonly One[]): readonly One[] {
  return needs.filter(({ name }, at) => needs.findIndex((one) => one.name === name) === at);
}

function need({ path, below }: ProjectDirectory, file: string): Need {
  return { name: file, file: shorten(below === "" ? file : `${below}/${file}`, 100), directory: path };
}
