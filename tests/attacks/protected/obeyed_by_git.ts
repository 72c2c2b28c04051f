/** X32: hooks and programs that git obeys, wherever its configuration names them. */
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row } from "../frame/attack.ts";
import { type Unheard, wayOf } from "./second_names.ts";

const HOOKS = "[core]\n\thooksPath = gh\n";

/** The user's configuration has them in repositories of this name only. */
function included(name: string): string {
  return `[includeIf "gitdir:**/${name}/.git"]\n\tpath = more\n`;
}

function hookOf(repository: string): string {
  return `${repository}/gh/pre-commit`;
}

/** A repository of the scope, with a hook of its own and other files. */
function repository(bench: Workbench, name: string, files: Readonly<Record<string, string>> = {}): void {
  const all = { ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", ".git/config": "" };
  for (const [path, text] of Object.entries({ ...all, "gh/pre-commit": "ours\n", ...files })) {
    bench.write(`${name}/${path}`, text);
  }
}

const GENERATED = "./node_modules/.bin/page";

/** The user's configuration names them. */
const OF_THE_USER: Readonly<Record<string, Unheard>> = {
  "in the project and in a repository below": {
    paths: [".", "part"].map(hookOf),
    prepare: (bench) => {
      bench.write(`${bench.home}/.gitconfig`, HOOKS);
      for (const name of [".", "part"]) repository(bench, name);
    },
    lines: [".", "part"].map((name) => `echo evil > ${hookOf(name)}`),
  },
  "they are not there yet": {
    paths: [hookOf(".")],
    prepare: (bench) => void bench.write(`${bench.home}/.gitconfig`, HOOKS),
    lines: ["git init -q .", "mkdir gh; echo evil > gh/pre-commit"],
    made: [hookOf(".")],
  },
};

const OF_OTHERS: Readonly<Record<string, Unheard>> = {
  "others name them: below home, of the work tree, over two lines, a filter, a generated program, an include, later on":
    {
      paths: [GENERATED, "lines/tools/clean", ...[".", "tree", "lines", "included", "later"].map(hookOf)],
      prepare: (bench) => {
        repository(bench, ".", {
          ".git/config": "[core]\n\thooksPath = ~/../scope/gh\n\tpager = node_modules/.bin/page\n",
          [GENERATED]: "ours\n",
        });
        repository(bench, "tree", {
          ".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n",
          ".git/config.worktree": HOOKS,
        });
        repository(bench, "lines", {
          ".git/config": '[core]\n\thooksPath = \\\ngh\n[filter "x"]\n\tclean = python3 tools/clean %f\n',
          "tools/clean": "ours\n",
        });
        for (const name of ["included", "later"]) repository(bench, name);
        bench.write(`${bench.home}/.gitconfig`, included("included"));
        bench.write(`${bench.home}/more`, HOOKS);
      },
      lines: [
        `echo evil > ${GENERATED}`,
        "echo evil > lines/tools/clean",
        ...[".", "tree", "lines", "included", "later"].map((name) => `echo evil > ${hookOf(name)}`),
      ],
      user: (bench) => void bench.write(`${bench.home}/.gitconfig`, included("included") + included("later")),
      made: [GENERATED],
    },
};

export const OBEYED_BY_GIT: readonly Row[] = [
  {
    id: "X32",
    title: "change hooks and programs that git obeys, wherever its configuration names them",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: wayOf({ ...OF_THE_USER, ...OF_OTHERS }),
  },
];
