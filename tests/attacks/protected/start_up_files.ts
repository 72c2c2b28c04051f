/** X33: files that programs read when they start or enter a directory, in a project and in home. */
import { BOTH, type Row } from "../frame/attack.ts";
import { type Unheard, wayOf } from "./second_names.ts";

const OF_PROJECTS = [".clinerules/x.md", ".hg/hgrc", "lefthook-local.json", "my.code-workspace"];
const OF_HOME = [".bash_aliases", ".zlogin", ".config/nvim/init.lua"];

/** The project is a sibling of home, and both are scopes; the runtime's cache lies elsewhere. */
function inHome(names: readonly string[]): readonly string[] {
  return names.map((name) => `../home/${name}`);
}

/** Files that are there, and others that are not. */
function changedAndMade(there: readonly string[], made: readonly string[]): Unheard {
  return {
    paths: [...there, ...made],
    prepare: (bench) => {
      for (const name of there) bench.write(`${bench.scope}/${name}`, "ours\n");
    },
    lines: [
      ...there.map((name) => `echo evil > ${name}`),
      ...made.map((name) => `mkdir -p $(dirname ${name}) && echo evil > ${name}`),
    ],
    made,
  };
}

const WAYS: Readonly<Record<string, Unheard>> = {
  "of projects changed, of home made": changedAndMade(OF_PROJECTS, inHome(OF_HOME)),
  "of home changed, of projects made": changedAndMade(
    inHome(OF_HOME),
    OF_PROJECTS.filter((name) => !name.endsWith("-workspace")),
  ),
};

export const START_UP_FILES: readonly Row[] = [
  {
    id: "X33",
    title: "change or make start-up files of editors, agents and shells without a word",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: wayOf(
      WAYS,
      ({ scope, home }) => ["--allow-broad-scope", "--sandbox-scope", scope, "--sandbox-scope", home],
    ),
  },
];
