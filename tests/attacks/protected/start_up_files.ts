/** X33: files that programs read when they start or enter a directory, in a project and in home. */
import { BOTH, type Row } from "../frame/attack.ts";
import { type Unheard, waysOf } from "./second_names.ts";

const OF_PROJECTS = [".clinerules/x.md", "lefthook.yml", "my.code-workspace"];
const OF_HOME = [".bash_aliases", ".zlogin", ".config/nvim/init.lua"];

/** Home is a scope, and the runtime's cache lies elsewhere. */
const HOME_AS_SCOPE: Pick<Unheard, "flags" | "directory"> = {
  flags: ({ home }) => ["--allow-broad-scope", "--sandbox-scope", home],
  directory: ({ home }) => home,
};

/** Files that are there. */
function changed(names: readonly string[]): Unheard {
  return {
    paths: names,
    prepare: (bench) => {
      for (const name of names) bench.write(`${bench.scope}/${name}`, "ours\n");
    },
    lines: names.map((name) => `echo evil > ${name}`),
  };
}

function made(names: readonly string[]): Unheard {
  return { paths: names, lines: names.map((name) => `mkdir -p $(dirname ${name}) && echo evil > ${name}`), made: true };
}

/** The project is a sibling of home, and the commands run there. */
function inHome(way: Unheard): Unheard {
  return { ...way, paths: way.paths.map((path) => `../home/${path}`), ...HOME_AS_SCOPE };
}

const WAYS: Readonly<Record<string, Unheard>> = {
  "of projects changed": changed(OF_PROJECTS),
  "of projects made": made(OF_PROJECTS.filter((name) => !name.endsWith("-workspace"))),
  "of home changed": inHome({
    ...changed(OF_HOME),
    prepare: (bench) => {
      for (const name of OF_HOME) bench.write(`${bench.home}/${name}`, "ours\n");
    },
  }),
  "of home made": inHome(made(OF_HOME)),
};

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
