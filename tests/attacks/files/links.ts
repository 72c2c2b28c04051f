/** L: links, races, and paths that lead elsewhere the second time. */
import { until } from "../../_support/deadline.ts";
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import { exists } from "../../_support/workbench.ts";
import { BOTH, type Place, python, ROOT, type Row } from "../frame/attack.ts";
import {
  cacheReplaced,
  identityOfTheScope,
  mountedInScope,
  movedIntoScope,
  removedWhileRunning,
  replacedByLink,
} from "./moving_scopes.ts";
import { plantedFiles } from "./planted_files.ts";
import { toTheTop } from "../means/outside_tree.ts";
import { withOneControl } from "../frame/stage.ts";

/** A call whose working directory leads through `d`, a link to `out`; the control goes there by itself. */
function workingDirectory(path: string) {
  return {
    does: ({ directory }: Place) => [{
      tool: "sandboxed_shell",
      arguments: {
        command: "cat secret ../secret; ls; echo x > planted",
        working_directory: `${directory}/${path}`,
        execution_mode: "Synchronous",
      },
    }],
    control: ({ directory }: Place) => `cd ${directory}/${path} && { cat secret ../secret; ls; echo x > planted; }`,
    prepare: linkTo("d", ({ out }) => out),
  };
}

function linkTo(name: string, target: (place: Place) => string) {
  return (place: Place) => Deno.symlinkSync(target(place), `${place.directory}/${name}`);
}

const SWAPS = 1_000;
/** A busy machine may leave the link as it is for long. */
const MOST_CALLS = 1_000;

export const LINKS: readonly Row[] = [
  {
    id: "L01",
    title: "a link made inside to a file outside",
    users: BOTH,
    aim: "write",
    ways: {
      "read": { does: ({ secret }) => `ln -s ${secret} l; cat l`, aim: "read" },
      "append": ({ secret }) => `ln -s ${secret} l; echo x >> l`,
      "a link that was there": {
        does: () => `cat l; echo x >> l`,
        prepare: linkTo("l", ({ secret }) => secret),
      },
      "relative": ({ secret }) => `ln -s ${toTheTop(secret)} l; echo x >> l`,
    },
  },
  {
    id: "L02",
    title: "a link made inside to a directory outside",
    users: BOTH,
    aim: "write",
    ways: {
      "write": ({ out }) => `ln -s ${out} d; echo x > d/planted`,
      "list": { does: ({ out }) => `ln -s ${out} d; ls d/`, aim: "read" },
      "a chain": ({ out }) => `ln -s ${out} a; ln -s a b; ln -s b/directory c; echo x > c/planted`,
      "..": ({ out }) => `ln -s ${out}/directory d; echo x > d/../planted`,
      "a target that is missing": ({ out }) => `ln -s ${out}/planted l; echo x > l`,
      "a loop with a way out": ({ out }) => `ln -s ./m l; ln -s ${out} m; mkdir l/planted`,
    },
  },
  {
    id: "L03",
    title: "a working directory that leads through a link",
    users: BOTH,
    aim: "write",
    ways: {
      "d": workingDirectory("d"),
      "d/directory": workingDirectory("d/directory"),
      "d/directory/..": workingDirectory("d/directory/.."),
      "d/.": workingDirectory("d/."),
      "d//empty": workingDirectory("d//empty"),
    },
  },
  {
    id: "L04",
    title: "a link that flips while calls use it as their directory",
    users: BOTH,
    aim: "write",
    ways: {
      "working_directory": {
        does: {
          drive: async (scene) => {
            const { running, directory, brief } = scene;
            const spinning = running.shell(spin(scene, 1_000 * SWAPS), {
              working_directory: directory,
              timeout_seconds: 60,
            });
            await until(() => exists(`${directory}/wd`), 20_000, "the link to flip");
            const answers = await callThrough(running, `${directory}/wd`, brief ? 20 : 100);
            await Deno.writeTextFile(`${directory}/enough`, "");
            return { answers: [...answers, await spinning] };
          },
        },
        control: ({ out }) => `ln -s ${out} wd; cd wd; cat secret; echo x > planted`,
      },
      // The last link leads outside.
      "inside one command": (place) =>
        `attempt() { echo x > wd/planted; { read -r it; echo $it; } < wd/secret; } 2>&1
${spin(place, SWAPS)} & while kill -0 $! 2>/dev/null; do attempt; done; attempt`,
    },
  },
  {
    id: "L05",
    title: "a hard link made inside to a file outside",
    users: BOTH,
    aim: "write",
    ways: {
      "ln": ({ secret }) => `ln ${secret} hard; echo x >> hard`,
      "linkat with an empty path": ({ secret }) =>
        python(`import os
fd = os.open("${secret}", os.O_PATH)
here = os.open(".", os.O_RDONLY)
os.link(f"/proc/self/fd/{fd}", "hard", src_dir_fd=here, follow_symlinks=True)`),
      "a descriptor of a directory": ({ out }) =>
        python(`import os\nfd = os.open("${out}", os.O_PATH)\nos.link("secret", "hard", src_dir_fd=fd)`),
    },
  },
  {
    id: "L06",
    title: "a hard link that was in the scope before",
    users: BOTH,
    aim: "write",
    ways: {
      "append": {
        does: () => `echo x >> hard`,
        prepare: ({ out, directory }) => Deno.linkSync(`${out}/directory/inside`, `${directory}/hard`),
      },
    },
  },
  {
    id: "L07",
    title: "the scope itself is replaced by a link between two calls",
    users: BOTH,
    aim: "evidence",
    ways: { "replaced": replacedByLink() },
  },
  {
    id: "L08",
    title: "a scope replaced by a link before another session opens on it",
    notApplicable: "HTTP: proven by tests of the bridge",
  },
  {
    id: "L09",
    title: "a repository ships links the server might follow: tool files, logs, settings",
    users: BOTH,
    alikeForRoot: "the server decides what it reads, before any command",
    aim: "evidence",
    ways: plantedFiles(),
  },
  {
    id: "L10",
    title: "the server's own places lead elsewhere: cache, log, session directories",
    users: BOTH,
    alikeForRoot: "the server looks where its places lead; what is there is the user's own",
    aim: "evidence",
    ways: cacheReplaced(),
  },
  {
    id: "L11",
    title: "predictable names in shared temporary places, taken beforehand",
    users: BOTH,
    aim: "write",
    ways: {
      "a here-document": ({ out }) =>
        `for i in 1 2 3 4 5; do ln -s ${out}/secret $TMPDIR/sh-thd.$i; done; cat <<< hi; echo x > $TMPDIR/sh-thd.1`,
      "another's link": { does: () => `echo x > taken`, prepare: linkTo("taken", ({ secret }) => secret) },
    },
  },
  {
    id: "L12",
    title: "an outside process's root, directory, descriptors and mappings",
    users: BOTH,
    aim: "read",
    ways: Object.fromEntries(
      ["cat /proc/PID/root$OUT/secret", "cat /proc/PID/cwd/secret", "cat /proc/PID/fd/3", "ls /proc/PID/cwd/"]
        .map((line) => [line, {
          victim: true as const,
          does: ({ victim, out }: Place) => line.replace("PID", String(victim)).replace("$OUT", out),
        }]),
    ),
  },
  {
    id: "L13",
    title: "move what may only be read to where it may be written",
    users: BOTH,
    aim: "evidence",
    ways: movedIntoScope(),
  },
  {
    id: "L14",
    title: "'..' out of a directory that is moved meanwhile",
    notApplicable: "by hand: needs a kernel without the fix of Landlock's erratum 3",
  },
  {
    id: "L15",
    title: "the scope is removed while a command runs, and is a link then",
    users: BOTH,
    alikeForRoot: "Landlock has the directories themselves; root tries links in L07",
    aim: "evidence",
    ways: withOneControl({
      "removed": removedWhileRunning(),
      "another directory of the same name": identityOfTheScope(),
    }),
  },
  {
    id: "L16",
    title: "a .git file that leads outside",
    users: BOTH,
    aim: "write",
    needs: { programs: ["git"] },
    ways: {
      "gitdir": {
        does: ({ out }) =>
          `echo 'gitdir: ${out}/directory/repository' > .git; git config planted.by me; git commit --allow-empty -m x`,
        prepare: ({ out }) => makeRepository(`${out}/directory/repository`, `${out}/secret`),
      },
      "commondir": {
        does: ({ out }) =>
          `git init -q; echo ${out}/directory/repository > .git/commondir; git config planted.by me; git tag planted`,
        prepare: ({ out }) => makeRepository(`${out}/directory/repository`, `${out}/secret`),
      },
    },
  },
  {
    id: "L17",
    title: "root prepared a mount in the scope that shows a tree outside",
    users: ROOT,
    aim: "write",
    ways: { "bind mount": mountedInScope() },
  },
];

/** Flips `wd` between a directory and a link to the outside. */
/**
 * Calls in a directory one by one, as those that arrive at the same moment all meet it in the same state: at least so
 * many, and until some of them ran and some were refused.
 */
async function callThrough(
  server: ServerProcess,
  working_directory: string,
  least: number,
): Promise<readonly ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  const refused = () => answers.filter(({ text }) => text.startsWith("Cannot use working directory")).length;
  while (answers.length < least || answers.length < MOST_CALLS && [0, answers.length].includes(refused())) {
    answers.push(await server.shell("cat secret; echo x > planted", { working_directory, timeout_seconds: 20 }));
  }
  return answers;
}

/** Ends before its time when there is a file "enough". */
function spin({ out }: Place, times: number): string {
  const program = `import os
os.mkdir("real")
os.symlink("real", "inside")
os.symlink("${out}", "outside")
for i in range(${times}):
  if i % 100 == 0 and os.path.exists("enough"): break
  try: os.link("outside" if i % 2 else "inside", "next", follow_symlinks=False); os.rename("next", "wd")
  except OSError as error: print(error)`;
  return `/usr/bin/python3 -IS -c '${program}'`;
}

function makeRepository(path: string, owner: string): void {
  const init = new Deno.Command("git", { args: ["init", "-q", "--bare", path] }).outputSync();
  const chown = new Deno.Command("chown", { args: ["-R", `--reference=${owner}`, path] }).outputSync();
  if (!init.success || !chown.success) throw new Error("The repository could not be made");
}
