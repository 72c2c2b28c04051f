/** X34: what a command writes into git's configuration, and git outside obeys (S24). */
import { exists, type Workbench } from "../../_support/workbench.ts";
import { asUser } from "../means/as_user.ts";
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { type Lines, withLines } from "../means/lines.ts";
import { driven, together } from "../frame/stage.ts";

/** Runs git in the scope, outside the sandbox, as the bench's user: once for each line, whatever the one before says. */
export function git(bench: Workbench, ...lines: readonly string[]): void {
  outside(bench, lines.map((line) => `git ${line}`).join("\n"));
}

/** Runs a script of the bench's user in the scope; gives what it prints. */
function outside(bench: Workbench, script: string): string {
  const [program = "", ...args] = asUser(bench.user, ["/bin/sh", "-c", script]);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: bench.home, GIT_TERMINAL_PROMPT: "0" };
  const { stdout } = new Deno.Command(program, { args, cwd: bench.scope, clearEnv: true, env, stdin: "null" })
    .outputSync();
  return new TextDecoder().decode(stdout);
}

/** How often a copy changes while the server may read it. A matter of chance: a quarter is enough for the tests. */
const ROUNDS = { long: 400, brief: 100 } as const;

/** Where one attempt is made. */
interface At {
  /** What git runs outside where it obeys: tells of it. */
  readonly trap: string;
  /** A bare repository for who attacks. */
  readonly theirs: string;
  /** The one that the branch `main` goes to. */
  readonly ours: string;
  readonly directory: string;
  readonly rounds: number;
}

/** The lines are commands in a repository of the attempt's own. */
interface Attempt {
  readonly lines: (at: At) => readonly string[];
  /** How the user has git obey them, outside. */
  readonly then: string;
  /** Another takes nearly the same path: `deno task attacks` tries it. */
  readonly rarely?: true;
}

/** Makes a repository, whose branch `main` goes to `ours.git`, and puts it in the scope; of each, a copy is kept. */
function repository(bench: Workbench): void {
  const { scope, elsewhere } = bench;
  outside(
    bench,
    `cd ${elsewhere}; git init -q -b main --bare --template= ours.git; cp -r ours.git empty.git
git init -q -b main --template= one; cd one; printf '[user]\\nname = T\\nemail = t@e.invalid\\n[maintenance]\\nauto = false\\n' >> .git/config
git commit -q --allow-empty -m 1; git remote add origin ${elsewhere}/ours.git; git push -q -u origin main; cp -r .git ${scope}/`,
  );
}

/** Evidence: a trap ran outside, or `theirs` got what was pushed. */
function obeyed(attempts: Readonly<Record<string, Attempt>>): Way {
  return {
    does: driven((scene) => {
      const tried = Object.entries(attempts).filter(([, { rarely }]) => !scene.brief || rarely !== true);
      return withLines(scene, { prepare: repository }, async (shell, bench) => {
        const { scope: directory, elsewhere } = bench;
        const [caught, theirs] = [`${elsewhere}/caught`, `${elsewhere}/theirs.git`];
        const achieved = await together(scene, Object.fromEntries(tried), async ({ lines, then }) => {
          await bench.clearScope();
          outside(
            bench,
            `cp -r ${elsewhere}/one/.git .; rm -rf ${caught} ${theirs}; cp -r ${elsewhere}/empty.git ${theirs}`,
          );
          const trap = `sh -c 'echo x > ${caught}; exit 1'`;
          const rounds = !scene.enforced ? 1 : scene.brief ? ROUNDS.brief : ROUNDS.long;
          const place = { trap, theirs, ours: `${elsewhere}/ours.git`, directory, rounds };
          // Without the sandbox all of it is one script.
          const all = scene.enforced ? lines(place) : [[...lines(place), `git ${then}`].join("\n")];
          for (const line of all) await shell.run(line);
          if (scene.enforced) git(bench, then);
          if (exists(caught)) return "git ran a program of the command's";
          return exists(`${theirs}/refs/heads/main`) ? "git pushed elsewhere" : undefined;
        });
        if (scene.enforced) await checkAdoption(shell, bench);
        return achieved;
      });
    }),
    seconds: 60,
  };
}

/** What is harmless is taken over of the last repository: else nothing would be at stake. */
async function checkAdoption(shell: Lines, bench: Workbench): Promise<void> {
  await shell.run(set("user.email", "adopted@e.invalid"));
  const is = outside(bench, "git config user.email");
  if (!is.includes("adopted")) throw new Error(`A harmless setting was not taken over, the address is "${is}"`);
}

function set(key: string, value: string): string {
  return `git config ${key} "${value}"`;
}

/** Puts `good` and `bad` in the place of `$C` in turn, by one process. */
function exchanges(rounds: number): string {
  return `/usr/bin/python3 -ISc 'import os, time
texts = [open(name, "rb").read() for name in ("bad", "good")]
for at in range(${2 * rounds}):
  with open("n", "wb") as file: file.write(texts[at % 2])
  os.rename("n", os.environ["C"])
  time.sleep(0.001)'`;
}

/** A branch that goes to a repository of the command's, with a hook that git runs there for each push. */
function ownRepository(scheme: string): Attempt["lines"] {
  return ({ directory, trap }) => [
    `git init -q --bare --template= own.git; mkdir own.git/hooks; printf '#!/bin/sh\\n%s\\n' "${trap}" > own.git/hooks/pre-receive; ` +
    `chmod +x own.git/hooks/pre-receive; git remote add up ${scheme}${directory}/own.git; git switch -q -c topic`,
    `${set("branch.topic.remote", "up")}; ${set("branch.topic.merge", "refs/heads/topic")}`,
  ];
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "a program": { then: "status", lines: ({ trap }) => [set("core.fsmonitor", trap), set("core.sshCommand", trap)] },
  "an alias": { then: "st", lines: ({ trap }) => [set("alias.st", `!${trap}`)], rarely: true },
  "hooks": {
    then: "commit -q --allow-empty -m x",
    lines: ({ trap }) => [
      `mkdir h; printf '#!/bin/sh\\n%s\\n' "${trap}" > h/pre-commit; chmod +x h/pre-commit; ${
        set("core.hooksPath", "h")
      }`,
    ],
  },
  "an include": {
    then: "st",
    lines: ({ trap }) => [`printf '[alias]\\nst = "!%s"\\n' "${trap}" > more; ${set("include.path", "../more")}`],
    rarely: true,
  },
  "a helper for a new remote": {
    then: "fetch -q --all",
    lines: ({ trap }) => [
      `${set("protocol.ext.allow", "always")}; echo "exit 1" > x; git remote add up "ext::sh evil"`,
      `echo "${trap}" > evil`,
    ],
  },
  "an upload program": {
    then: "fetch -q --all",
    lines: ({ trap, ours }) => [`git remote add up ${ours}; ${set("remote.up.uploadpack", trap)}`],
    rarely: true,
  },
  "another address": { then: "push -q", lines: ({ theirs }) => [`git remote set-url origin ${theirs}`] },
  "another push address": {
    then: "push -q",
    lines: ({ theirs }) => [set("remote.origin.pushurl", theirs)],
    rarely: true,
  },
  "another remote for the branch": {
    then: "push -q",
    lines: ({ theirs }) => [`git remote add up ${theirs}`, set("branch.main.remote", "up")],
    rarely: true,
  },
  "the same in steps": {
    then: "push -q",
    lines: ({ theirs }) => [
      `git remote add up ${theirs}`,
      "git branch --unset-upstream main",
      `${set("branch.main.remote", "up")}; ${set("branch.main.merge", "refs/heads/main")}`,
    ],
  },
  "the same remote made once more": {
    then: "push -q",
    lines: ({ theirs }) => [
      "git remote remove origin",
      `git remote add origin ${theirs}`,
      `${set("branch.main.remote", "origin")}; ${set("branch.main.merge", "refs/heads/main")}`,
    ],
  },
  "a repository with hooks": { then: "push -q", lines: ownRepository("") },
  "a repository with hooks, as an address": { then: "push -q", lines: ownRepository("file://"), rarely: true },
  "a copy that changes while it is read": {
    then: "st",
    lines: ({ trap, rounds }) => [
      `${set("alias.st", `!${trap}`)}; C=$(readlink .git/config || echo .git/config); cp $C bad; ` +
      `sed -i /alias/,+1d $C; ${set("user.name", "U")}; cp $C good; ` +
      `export C; ${exchanges(rounds)}; cp bad n; mv n $C`,
      ...Array.from({ length: 8 }, (_, at) => set("user.name", `U${at}`)),
    ],
  },
};

export const GIT_SETTINGS: readonly Row[] = [
  {
    id: "X34",
    title: "have git outside run, or push to, what a command configures",
    users: BOTH,
    alikeForRoot: "what is taken over of a configuration is the same for every user",
    aim: "evidence",
    ways: { "each in a repository of its own": obeyed(ATTEMPTS) },
  },
];
