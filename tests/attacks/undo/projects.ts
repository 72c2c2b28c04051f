/** Y62 and Y63: projects whose author means harm to what records and takes back their changes (S39). */
import { until } from "../../_support/deadline.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import { exists } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Scene } from "../frame/attack.ts";
import { driven, together } from "../frame/stage.ts";
import { UNDO } from "./store.ts";

/** Each leaves a file `ran-...` in the scope when any program of its repository runs. */
const REPOSITORY = `git init -q -b main . && git config user.name n && git config user.email n@e.invalid
trap() { printf '#!/bin/sh\\ntouch %s/ran-%s\\n[ -t 0 ] || cat\\n' "$PWD" "$1" > "$2" && chmod +x "$2"; }
mkdir -p .git/hooks hooks tools && echo text > a.txt && echo text > b.txt
for t in clean smudge textconv fsmonitor diff pager; do trap $t tools/$t; done
trap hook hooks/post-index-change && trap hook hooks/reference-transaction && cp hooks/* .git/hooks/
printf 'a.txt filter=evil\\nb.txt diff=evil\\n' > .gitattributes && git add -A . && git commit -qm one
git config filter.evil.clean "$PWD/tools/clean" && git config filter.evil.smudge "$PWD/tools/smudge"
git config diff.evil.textconv "$PWD/tools/textconv" && git config diff.external "$PWD/tools/diff"
git config core.fsmonitor "$PWD/tools/fsmonitor" && git config core.hooksPath "$PWD/hooks"
rm -f ran-*`;

/** What git runs, by the file that it leaves, and how a user's git comes to run it. */
const TRAPS: Readonly<Record<string, string>> = {
  clean: "echo more >> a.txt; git add a.txt",
  smudge: "rm a.txt; git checkout -q a.txt",
  textconv: "echo more >> b.txt; git diff --no-ext-diff",
  diff: "echo more >> b.txt; git diff --ext-diff",
  fsmonitor: "git status",
  hook: "git update-ref refs/heads/x HEAD",
};

/** The server looks, shows and takes back; the control is the user's git in the same repository. */
async function programs(scene: Scene): Promise<string | undefined> {
  const { running, directory: working_directory } = scene;
  const run = async (line: string) => (await running.shell(line, { working_directory, timeout_seconds: 60 })).text;
  const made = await run(`${REPOSITORY}; ls ran-* 2>/dev/null`);
  if (scene.enforced) await takeBack(running, { made, run });
  const traps = Object.fromEntries(Object.entries(TRAPS).map(([name, line]) => [name, { name, line }]));
  return await together(scene, traps, async ({ name, line }) => {
    if (!scene.enforced) await run(line);
    return exists(`${working_directory}/ran-${name}`) ? "it ran" : undefined;
  });
}

/** Changes what the repository's programs would see, looks at the record and takes the changes back. */
async function takeBack(
  server: ServerProcess,
  { made, run }: { readonly made: string; readonly run: (line: string) => Promise<string> },
): Promise<void> {
  const text = await run("echo more >> a.txt; echo more >> b.txt; rm .gitattributes");
  const [operation_id] = /op_\w+/.exec(text) ?? [];
  if (operation_id === undefined) throw new Error(`Nothing was recorded: ${made} ${text}`);
  await server.call("changes", { operation_id });
  await server.call("changes", { operation_id, action: "undo" });
  const is = await run("cat a.txt b.txt .gitattributes");
  if (!is.startsWith("text\ntext\na.txt filter=evil")) throw new Error(`It did not come back: ${is}`);
}

/** A tree that a command makes, which something about names, depth or movement could make the record of fail. */
interface Tree {
  /** Makes it; what it removes or changes afterwards must come back. */
  readonly make: string;
  readonly change: string;
  /** Prints what must be as before. */
  readonly facts: string;
}

/** So many names in a directory: the tests of the store have more. */
const NAMES = { long: 2_000, brief: 300 } as const;

const TREES: Readonly<Record<string, Tree>> = {
  "names with line feeds, controls and bytes that are not UTF-8": {
    make: python(
      `import os
for n in [b"x\\nD important", b"\\x1b[2J", b"\\xff\\xfe", b"\\xed\\xa0\\x80", b"-rf", b" ", b"a" * 255]:
  os.makedirs(b"odd/" + n)
  open(b"odd/" + n + b"/" + n, "wb").write(n)
  os.symlink(n, b"odd/" + n + b"/link")`,
    ),
    change: "rm -rf odd",
    facts: "find odd -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum -z | sha256sum; find odd | wc -l",
  },
  "directories within one another, down to the longest path": {
    make: python(`import os
for n in range(200):
  try: os.mkdir("d" * 18)
  except OSError: break
  os.chdir("d" * 18)
open("bottom", "w").write("bottom")`),
    change: "rm -rf dd*",
    facts: "find dd* | wc -l",
  },
  "as many names as a directory has in years": {
    make: "mkdir many && cd many && seq $NAMES | xargs touch",
    change: "rm -rf many",
    facts: "ls many | sort | sha256sum",
  },
};

/** Programs that each spoil what a look sees, until `stop` is there; no look may wait for them. */
const RESTLESS: Readonly<Record<string, string>> = {
  "a file that grows": endless(
    'with open("grows", "ab") as file: file.truncate(0) if file.write(b"x" * 10000) and file.tell() > 1000000 else 0',
  ),
  "a file that is replaced": endless('open("next", "w").write(str(time.time()))', 'os.rename("next", "replaced")'),
  "a pipe in the place of a file": endless(
    'os.mkfifo("p")',
    'os.remove("p")',
    'open("p", "w").close()',
    'os.remove("p")',
  ),
  "a directory and a link by turns": `mkdir t; ${
    endless('os.rename("t", "s")', 'os.symlink("/", "t")', 'os.remove("t")', 'os.rename("s", "t")')
  }`,
};

/** Pauses after each step, so that a look meets every state. */
function endless(...steps: readonly string[]): string {
  const lines = steps.flatMap((step) => [`  ${step}`, "  time.sleep(0.004)"]);
  return python(["import os, time", 'while not os.path.exists("stop"):', ...lines].join("\n"));
}

/** Text of a result that lists names may not say more than there is. */
function isForged(text: string): boolean {
  return /^D important/m.test(text) || text.includes("\x1b");
}

async function treeFails(
  { brief, running }: Scene,
  run: (line: string) => Promise<string>,
  { make, change, facts }: Tree,
): Promise<string | undefined> {
  await run(`NAMES=${brief ? NAMES.brief : NAMES.long}; ${make}`);
  const look = async () => (await run(facts)).split("\n[exit")[0]?.trimEnd();
  const before = await look();
  const [operation_id] = /op_\w+/.exec(await run(change)) ?? [];
  if (operation_id === undefined) return "nothing was recorded";
  const { text: shown } = await running.call("changes", { operation_id });
  const { text: done } = await running.call("changes", { operation_id, action: "undo" });
  if (isForged(shown) || isForged(done)) return `a name forged a line: ${shown} ${done}`;
  const after = await look();
  return after === before ? undefined : `${before} became ${after}: ${done}`;
}

/** Calls while the tree never rests: each is answered, and what they change comes back. */
async function restless({ brief, running, bench }: Scene, directory: string): Promise<string | undefined> {
  const still = bench.write(`${directory}/still`, "still\n");
  const place = { working_directory: directory };
  const begun = [];
  for (const line of Object.values(RESTLESS)) begun.push(await running.start(line, place));
  await until(() => exists(`${directory}/t`) && exists(`${directory}/grows`), 20_000, "the commands");
  for (let at = 0; at < (brief ? 3 : 5); at++) {
    const { text } = await running.shell("rm still", place);
    const [operation_id] = /op_\w+/.exec(text) ?? [];
    if (operation_id === undefined) return `nothing was recorded: ${text}`;
    await running.call("changes", { operation_id, action: "undo", paths: [still] });
    if (!exists(still)) return "it did not come back";
  }
  await Deno.writeTextFile(`${directory}/stop`, "");
  for (const { operation } of begun) await running.call("await", { operation_id: operation?.operation_id });
  return undefined;
}

/** In a directory that no other attempt looks into. */
async function keptFromWork(scene: Scene): Promise<string | undefined> {
  const { running, bench } = scene;
  const directory = `${bench.scope}/hindered`;
  bench.write(`${directory}/kept`, "");
  const run = async (line: string) => {
    return (await running.shell(line, { working_directory: directory, timeout_seconds: 60 })).text;
  };
  const achieved = await together(scene, TREES, (tree) => treeFails(scene, run, tree)) ??
    await restless(scene, directory);
  await Deno.remove(directory, { recursive: true });
  return achieved;
}

export const UNDO_PROJECTS: readonly Row[] = [
  {
    id: "Y62",
    title: "have --undo run filters, hooks and other programs that a repository names",
    users: BOTH,
    alikeForRoot: "no program is started for any user",
    aim: "evidence",
    ways: {
      "by attributes, configuration and variables of git": {
        does: driven(programs),
        sharedServer: UNDO,
        needs: { programs: ["git"] },
      },
    },
  },
  {
    id: "Y63",
    title: "keep --undo from its work by names, depth, numbers and files that never rest",
    users: BOTH,
    alikeForRoot: "what a name, a depth, a number or a movement does is the same for every user",
    aim: "evidence",
    ways: {
      "names, depth and numbers, and what never rests": {
        noControl: "what it proves is that all comes back, and that calls are answered",
        does: driven(keptFromWork),
        sharedServer: UNDO,
      },
    },
  },
];
