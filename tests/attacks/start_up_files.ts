/** X33: files that programs read when they start or enter a directory, in a project and in home. */
import { BOTH, type Row } from "./attack.ts";
import { type Unheard, waysOf } from "./second_names.ts";

const OF_PROJECTS = [".clinerules/x.md", "lefthook.yml", "my.code-workspace"];
const OF_HOME = [".bash_aliases", ".zlogin", ".config/nvim/init.lua"];

/** Home is a scope, and the runtime's cache lies elsewhere. */
const HOME_AS_SCOPE: Pick<Unheard, "flags" | "directory"> = {
  flags: ({ home }) => ["--allow-broad-scope", "--sandbox-scope", home],
  directory: ({ home }) => home,
};

function there(path: string): Unheard {
  return {
    path,
    prepare: (bench) => void bench.write(`${bench.scope}/${path}`, "ours\n"),
    lines: [`echo evil > ${path}`],
  };
}

function made(path: string): Unheard {
  return { path, lines: [`mkdir -p $(dirname ${path}) && echo evil > ${path}`], made: true };
}

/** The project is a sibling of home, and the commands run there. */
function inHome(way: Unheard): Unheard {
  return { ...way, path: `../home/${way.path}`, ...HOME_AS_SCOPE };
}

const WAYS: Readonly<Record<string, Unheard>> = Object.fromEntries([
  ...OF_PROJECTS.map((name) => [`${name} changed`, there(name)]),
  ...OF_PROJECTS.filter((name) => !name.endsWith("-workspace")).map((name) => [`${name} made`, made(name)]),
  ...OF_HOME.map((name) => [
    `~/${name} changed`,
    inHome({
      ...there(name),
      prepare: (bench) => void bench.write(`${bench.home}/${name}`, "ours\n"),
    }),
  ]),
  ...OF_HOME.map((name) => [`~/${name} made`, inHome(made(name))]),
]);

export const START_UP_FILES: readonly Row[] = [
  {
    id: "X33",
    title: "change or make start-up files of editors, agents and shells without a word",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: waysOf(WAYS),
  },
];
