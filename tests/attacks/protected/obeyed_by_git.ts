/** X32: hooks and programs that git obeys, wherever its configuration names them. */
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row } from "../frame/attack.ts";
import { type Unheard, waysOf } from "./second_names.ts";

const HOOKS = "[core]\n\thooksPath = gh\n";
const HOOK = "gh/pre-commit";
const EVIL_HOOK = "echo evil > gh/pre-commit";

/** A repository with a hook of its own, and other files. */
function repository(files: (bench: Workbench) => Readonly<Record<string, string>>): (bench: Workbench) => void {
  return (bench) => {
    const all = { ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", [HOOK]: "ours\n" };
    for (const [path, text] of Object.entries({ ...all, ".git/config": "", ...files(bench) })) bench.write(path, text);
  };
}

const HOOKS_OF_GIT: Readonly<Record<string, Unheard>> = {
  "the user's configuration names them, in the project and in a repository below": {
    paths: [HOOK, `part/${HOOK}`],
    prepare: (bench) => {
      repository(({ home }) => ({ [`${home}/.gitconfig`]: HOOKS }))(bench);
      for (const name of ["HEAD", "objects/x", "refs/x", "config"]) bench.write(`part/.git/${name}`, "");
      bench.write("part/.git/HEAD", "ref: refs/heads/main\n");
      bench.write(`part/${HOOK}`, "ours\n");
    },
    lines: [EVIL_HOOK, `echo evil > part/${HOOK}`],
  },
  "below home": {
    paths: [HOOK],
    prepare: repository(() => ({ ".git/config": "[core]\n\thooksPath = ~/../scope/gh\n" })),
    lines: [EVIL_HOOK],
  },
  "the work tree's configuration names them": {
    paths: [HOOK],
    prepare: repository(() => ({
      ".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n",
      ".git/config.worktree": HOOKS,
    })),
    lines: [EVIL_HOOK],
  },
  "over two lines, and a filter of the project": {
    paths: [HOOK, "tools/clean"],
    prepare: repository(() => ({
      ".git/config": '[core]\n\thooksPath = \\\ngh\n[filter "x"]\n\tclean = python3 tools/clean %f\n',
      "tools/clean": "ours\n",
    })),
    lines: [EVIL_HOOK, "echo evil > tools/clean"],
  },
  "an include from elsewhere names them": {
    paths: [HOOK],
    prepare: repository(({ home }) => ({
      [`${home}/.gitconfig`]: '[includeIf "gitdir:**/scope/.git"]\n\tpath = more\n',
      [`${home}/more`]: HOOKS,
    })),
    lines: [EVIL_HOOK],
  },
  "the user names them while the server runs": {
    paths: [HOOK],
    prepare: repository(() => ({})),
    user: (bench) => void bench.write(`${bench.home}/.gitconfig`, HOOKS),
    lines: ["true", EVIL_HOOK],
  },
  "they are not there yet": {
    paths: [HOOK],
    prepare: (bench) => void bench.write(`${bench.home}/.gitconfig`, HOOKS),
    lines: ["git init -q .", "mkdir gh; echo evil > gh/pre-commit"],
    made: true,
  },
  "a program that tools generate": {
    paths: ["node_modules/.bin/page"],
    prepare: repository(() => ({
      ".git/config": "[core]\n\tpager = node_modules/.bin/page\n",
      "node_modules/.bin/page": "ours\n",
    })),
    lines: ["echo evil > node_modules/.bin/page"],
    made: true,
  },
};

export const OBEYED_BY_GIT: readonly Row[] = [
  {
    id: "X32",
    title: "change hooks and programs that git obeys, wherever its configuration names them",
    users: BOTH,
    alikeForRoot: "what protects a file is the same for every user; root tries it in X09",
    aim: "evidence",
    ways: waysOf(HOOKS_OF_GIT),
  },
];
