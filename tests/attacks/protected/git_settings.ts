/** X34: what a command writes into git's configuration, and git outside obeys (S24). */
import type { Workbench } from "../../_support/workbench.ts";
import { asUser } from "../means/as_user.ts";
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { withLines } from "../means/lines.ts";
import { driven } from "../frame/stage.ts";

/** Run outside by the user, one after the other, whatever each says. */
const USUAL = ["status", "commit -q --allow-empty -m x", "log -1", "fetch -q --all", "push -q", "st", "diff HEAD~1"];

/** Runs git in the scope, outside the sandbox, as the bench's user: once for each line, whatever the one before says. */
export async function git(bench: Workbench, ...lines: readonly string[]): Promise<void> {
  const script = lines.map((line) => `git ${line}`).join("\n");
  const [program = "", ...args] = asUser(bench.user, ["/bin/sh", "-c", script]);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: bench.home, GIT_TERMINAL_PROMPT: "0" };
  await new Deno.Command(program, { args, cwd: bench.scope, clearEnv: true, env, stdin: "null" }).output();
}

/** How often a copy changes while the server may read it. A matter of chance: a quarter is enough for the tests. */
const ROUNDS = { long: 400, brief: 100 } as const;

/** A repository whose branch `main` goes to `ours.git`; `theirs.git` is for who attacks. */
async function repository(bench: Workbench): Promise<void> {
  await git(
    bench,
    "init -q -b main --bare ours.git; cp -r ours.git theirs.git",
    "init -q -b main .; printf '[user]\\nname = T\\nemail = t@e.invalid\\n' >> .git/config",
    "commit -q --allow-empty -m 1",
    `remote add origin ${bench.scope}/ours.git`,
    "push -q -u origin main",
  );
}

/** The lines are commands; then git is used outside. Evidence: the trap ran there, or `theirs.git` got what was pushed. */
function way(lines: (bench: Workbench, trap: string, rounds: number) => readonly string[]): Way {
  return {
    does: driven((scene) =>
      withLines(scene, {}, async (shell, bench) => {
        await repository(bench);
        const caught = `${bench.elsewhere}/caught`;
        const trap = `sh -c 'echo x > ${caught}; exit 1'`;
        for (const line of lines(bench, trap, scene.brief ? ROUNDS.brief : ROUNDS.long)) await shell.run(line);
        await git(bench, ...USUAL);
        const isCaught = await Deno.stat(caught).then(() => true, () => false);
        const isPushed = await Deno.stat(`${bench.scope}/theirs.git/refs/heads/main`).then(() => true, () => false);
        return isCaught ? "git ran a program of the command's" : isPushed ? "git pushed elsewhere" : undefined;
      })
    ),
  };
}

function set(key: string, value: string): string {
  return `git config ${key} "${value}"`;
}

/** Puts `good` and `bad` in the place of `$C` in turn, by one process. */
function exchanges(rounds: number): string {
  return `/usr/bin/python3 -Ic 'import os, time
texts = [open(name, "rb").read() for name in ("bad", "good")]
for at in range(${2 * rounds}):
  with open("n", "wb") as file: file.write(texts[at % 2])
  os.rename("n", os.environ["C"])
  time.sleep(0.001)'`;
}

/** A branch that goes to a repository of the command's, with a hook that git runs there for each push. */
function ownRepository(scheme: string): Way {
  return way(({ scope }, trap) => [
    `git init -q --bare own.git; printf '#!/bin/sh\\n%s\\n' "${trap}" > own.git/hooks/pre-receive; ` +
    `chmod +x own.git/hooks/pre-receive; git remote add up ${scheme}${scope}/own.git; git switch -q -c topic`,
    `${set("branch.topic.remote", "up")}; ${set("branch.topic.merge", "refs/heads/topic")}`,
  ]);
}

/** One that takes the path of another way: not tried by the tests. */
function rarely(way: Way): Way {
  return { ...way, extended: true };
}

export const GIT_SETTINGS: readonly Row[] = [
  {
    id: "X34",
    title: "have git outside run, or push to, what a command configures",
    users: BOTH,
    alikeForRoot: "what is taken over of a configuration is the same for every user",
    aim: "evidence",
    ways: {
      "a program": way((_, trap) => [set("core.fsmonitor", trap), set("core.sshCommand", trap)]),
      "an alias": rarely(way((_, trap) => [set("alias.st", `!${trap}`)])),
      "hooks": way((_, trap) => [
        `mkdir h; printf '#!/bin/sh\\n%s\\n' "${trap}" > h/pre-commit; chmod +x h/pre-commit; ${
          set("core.hooksPath", "h")
        }`,
      ]),
      "an include": rarely(way((_, trap) => [
        `printf '[alias]\\nst = "!%s"\\n' "${trap}" > more; ${set("include.path", "../more")}`,
      ])),
      "a helper for a new remote": way((_, trap) => [
        `${set("protocol.ext.allow", "always")}; echo "exit 1" > x; git remote add up "ext::sh evil"`,
        `echo "${trap}" > evil`,
      ]),
      "an upload program": rarely(way(({ scope }, trap) => [
        `git remote add up ${scope}/ours.git; ${set("remote.up.uploadpack", trap)}`,
      ])),
      "another address": way(({ scope }) => [`git remote set-url origin ${scope}/theirs.git`]),
      "another push address": rarely(way(({ scope }) => [set("remote.origin.pushurl", `${scope}/theirs.git`)])),
      "another remote for the branch": rarely(way(({ scope }) => [
        `git remote add up ${scope}/theirs.git`,
        set("branch.main.remote", "up"),
      ])),
      "the same in steps": way(({ scope }) => [
        `git remote add up ${scope}/theirs.git`,
        "git branch --unset-upstream main",
        `${set("branch.main.remote", "up")}; ${set("branch.main.merge", "refs/heads/main")}`,
      ]),
      "the same remote made once more": way(({ scope }) => [
        "git remote remove origin",
        `git remote add origin ${scope}/theirs.git`,
        `${set("branch.main.remote", "origin")}; ${set("branch.main.merge", "refs/heads/main")}`,
      ]),
      "a repository with hooks": ownRepository(""),
      "a repository with hooks, as an address": rarely(ownRepository("file://")),
      "a copy that changes while it is read": way((_, trap, rounds) => [
        `${set("alias.st", `!${trap}`)}; C=$(readlink .git/config || echo .git/config); cp $C bad; ` +
        `sed -i /alias/,+1d $C; ${set("user.name", "U")}; cp $C good; ` +
        `export C; ${exchanges(rounds)}; cp bad n; mv n $C`,
        ...Array.from({ length: 8 }, (_, at) => set("user.name", `U${at}`)),
      ]),
    },
  },
];
