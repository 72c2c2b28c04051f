/** X35: repositories that commands make, and what their configuration makes git outside run (S24). */
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { git } from "./git_settings.ts";
import { type Lines, withLines } from "../means/lines.ts";
import { driven, together } from "../frame/stage.ts";
import type { Workbench } from "../../_support/workbench.ts";

const USUAL = ["status", "diff", "add -A", "commit -q --allow-empty -m x"];

interface Made {
  /** A repository of the user's is there before. */
  readonly before: boolean;
  /** Commands. `traps` gives a command line that says outside, under a name, that it ran. */
  readonly lines: (traps: (name: string) => string) => readonly string[];
}

/** One after the other at one server, in a scope that the user clears. */
function inTurn(all: Readonly<Record<string, Made>>): Way {
  return {
    does: driven((scene) =>
      withLines(scene, {}, async (shell, bench) => {
        const user = "user.name T; git config --global user.email t@e.invalid";
        const quiet = "advice.addEmbeddedRepo false; git config --global maintenance.auto false";
        git(bench, `config --global ${user}; git config --global ${quiet}`);
        return await together(scene, all, (made) => runsOutside(made, shell, bench));
      })
    ),
  };
}

async function runsOutside({ before, lines }: Made, shell: Lines, bench: Workbench): Promise<string | undefined> {
  await bench.clearScope();
  if (before) git(bench, "init -q -b main .", "commit -q --allow-empty -m 1");
  await shell.run("true");
  const traps = (name: string) => `sh -c 'echo x > ${bench.elsewhere}/${name}; exit 1'`;
  for (const line of lines(traps)) await shell.run(line);
  // What git runs inside, while a command sets it up, cannot write there.
  await forget(bench);
  git(bench, ...USUAL);
  const caught = await forget(bench);
  return caught.length === 0 ? undefined : `git ran what these set: ${caught.join(", ")}`;
}

/** Removes what the traps left outside; gives their names. */
async function forget({ elsewhere }: Workbench): Promise<readonly string[]> {
  const names = (await Array.fromAsync(Deno.readDir(elsewhere))).map(({ name }) => name);
  for (const name of names) await Deno.remove(`${elsewhere}/${name}`);
  return names;
}

/** A repository that git finds in its own index, whose configuration then is another one. */
function below(name: string, line: string): string {
  return `cp -r $SEED ${name} && git add ${name} && (cd ${name}; ${line})`;
}

/** A repository with a commit, of which the others are copies. */
const SEED = "git init -q --template= seed && (cd seed && git commit -q --allow-empty -m s); SEED=$PWD/seed";

function forms(traps: (name: string) => string): readonly string[] {
  const set = (name: string) => `git config core.fsmonitor "${traps(name)}"`;
  return [
    [
      SEED,
      below("plain", set("plain")),
      below(
        "filtered",
        `echo "* filter=e" > .gitattributes; echo a > f; git add .; git commit -qm f; ` +
          `git config filter.e.clean "${traps("filtered")}"; touch -d yesterday f`,
      ),
      below("locked", `${set("locked")}; : > .git/config.lock; chmod 444 .git/config; chmod 555 .git`),
      below(
        "included",
        `printf '[core]\\nfsmonitor = "%s"\\n' "${traps("included")}" > ../more; ` +
          "git config include.path ../../more",
      ),
      below(
        "ofwork",
        `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "${traps("ofwork")}"`,
      ),
      below("led", `${set("led")}; mv .git ../elsewhere; echo gitdir: ../elsewhere > .git`),
      below("linked", `${set("linked")}; mv .git ../other; ln -s ../other .git`),
      below(
        "common",
        `${
          set("common")
        }; mkdir ../shared; cp -r .git/* ../shared/; rm .git/config; echo ../../shared > .git/commondir`,
      ),
    ].join("; "),
    `SEED=$PWD/seed; ${below("later", "true")}`,
    `SEED=$PWD/seed; cd later; ${set("later")}; cd ..; mkdir -p a/b/c/d node_modules; cd a/b/c/d; ${
      below("deep", set("deep"))
    }; ` +
    `cd ../../../../node_modules; ${below("package", set("package"))}; cd ..; ` +
    below("outer", `${below("inner", set("inner"))}; git commit -qm i`),
    "git update-index --split-index; ln plain/.git/config keep; git update-index --index-version 4",
    "mv .git/index .git/other; ln -s other .git/index",
    `printf '[core]\\nfsmonitor = "%s"\\n' "${traps("keep")}" >> keep`,
  ];
}

const MADE: Readonly<Record<string, Made>> = {
  "below the user's": { before: true, lines: forms },
  "at the top": {
    before: false,
    lines: (traps) => [
      `git init -q . && mkdir h && git config core.hooksPath h && printf '#!/bin/sh\\n%s\\n' "${
        traps("hook")
      }" > h/pre-commit && chmod +x h/pre-commit; git config core.fsmonitor "${traps("top")}"`,
    ],
  },
};

export const MADE_REPOSITORIES: readonly Row[] = [
  {
    id: "X35",
    title: "have git outside run what a repository says that a command made",
    users: BOTH,
    alikeForRoot: "what is taken out of a configuration is the same for every user",
    aim: "evidence",
    ways: { [Object.keys(MADE).join("; ")]: inTurn(MADE) },
  },
];
