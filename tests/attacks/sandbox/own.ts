/** X: what is peculiar to this program: its launcher, its session directories, its copy of git's settings. */
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, type Driven, python, type Row, type Scene, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { MOVED_CREDENTIALS, OTHER_REPOSITORIES } from "../protected/guarded_over_time.ts";
import { lookAt } from "../means/outside_tree.ts";
import { ExtendedAttributes } from "../means/extended_attributes.ts";
import { driven, together, withOneControl } from "../frame/stage.ts";
import { landlockAlone } from "../means/unusual_start.ts";

/** What a command may try on a process, by what it then prints. The last one holds on to it. */
const ON_WAITING: Readonly<Record<string, readonly [program: string, printed: RegExp]>> = {
  "its memory": ['os.open(f"/proc/{pid}/mem", os.O_RDWR)\nprint("memory open", 6 * 7)', /^memory open 42$/m],
  "its descriptors": ['print("leads", os.readlink(f"/proc/{pid}/fd/0"))', /^leads \S+$/m],
  "take a descriptor": [
    `pidfd, error = call("pidfd_open", pid, 0)
if any(call("pidfd_getfd", pidfd, n, 0)[0] >= 0 for n in range(64)): print("taken", 6 * 7)`,
    /^taken 42$/m,
  ],
  "its environment": [
    'print("environment of", 1 if len(open(f"/proc/{pid}/environ").read()) > 0 else 0)',
    /^environment of 1$/m,
  ],
  "trace it": ['if call("ptrace", 0x4206, pid, 0, 0)[0] == 0: print("seized", 6 * 7)', /^seized 42$/m],
};

/** Process 1 of the command's namespace waits outside its Landlock domain, with all the rights of the user. */
async function takesOver(scene: Scene): Promise<string | undefined> {
  const programs = Object.values(ON_WAITING).map(([program]) => program);
  const pids = scene.enforced ? 'int(os.environ["WAITING"]), 1' : String(scene.victim);
  const line = python(`${SYSTEM_CALL}
for pid in (${pids},):
  for program in ${JSON.stringify(programs)}:
    try: exec(program)
    except OSError as error: print(error)
print("all tried")`);
  const { text } = await scene.running.shell(`export WAITING=$PPID\n${line}`);
  if (!text.includes("\nall tried")) throw new Error(`It did not try all: ${text}`);
  return await together(scene, ON_WAITING, ([, printed]) => Promise.resolve(printed.exec(text)?.[0]));
}

export const OWN: readonly Row[] = [
  {
    id: "X01",
    title: "add keys to a keyring that outlives the command",
    users: BOTH,
    aim: "evidence",
    ways: {
      "the user's keyring": {
        does: ({ directory }) =>
          python(`${SYSTEM_CALL}
key, error = call("add_key", b"user", b"planted-${directory.length}", b"x", 1, -4)
if key > 0: print("key added", 6 * 7); call("keyctl", 9, key, -4)`),
        evidence: /^key added 42$/m,
      },
    },
  },
  {
    id: "X02",
    title: "the runtime's own cache lies in the scope",
    users: BOTH,
    alikeForRoot: "the server refuses to start",
    aim: "evidence",
    ways: withOneControl({
      "XDG_CACHE_HOME": runtimeCache(
        (bench) => ({ XDG_CACHE_HOME: `${bench.scope}/cache`, DENO_DIR: "" }),
        "cache/deno",
      ),
      "a relative XDG_CACHE_HOME": runtimeCache(() => ({ XDG_CACHE_HOME: "cache", DENO_DIR: "" }), "cache/deno"),
      "DENO_DIR": runtimeCache((bench) => ({ DENO_DIR: `${bench.scope}/cache` }), "cache"),
    }),
  },
  {
    id: "X03",
    title: "see the server among the processes",
    users: BOTH,
    aim: "evidence",
    ways: {
      "/proc": {
        does: ({ server }) => `tr '\\0' ' ' < /proc/${server}/cmdline; echo; ls -d /proc/${server}`,
        evidence: /--no-prompt|^\/proc\/\d+$/m,
      },
      "kill -0": {
        victim: true,
        does: ({ victim, server }) => `kill -0 ${victim} && kill -0 ${server} && echo there $((6 * 7))`,
        evidence: /^there 42$/m,
      },
    },
  },
  {
    id: "X04",
    title: "take over the process that waits for the command",
    users: BOTH,
    aim: "evidence",
    ways: {
      "trace it, its memory, descriptors and environment": { victim: true, does: driven(takesOver) },
      "its root": {
        does: ({ out }) =>
          `echo x > /proc/1/root${out}/planted; chmod 777 /proc/1/root${out}/secret; cat /proc/1/root${out}/secret`,
        control: ({ out }) => `cat ${out}/secret; chmod 777 ${out}/secret`,
        aim: "write",
      },
      "its program": {
        does: () => `head -c 4 /proc/1/exe | od -An -c; cp /proc/1/exe image && ls -l image | sed 's/^/image /'`,
        evidence: /^image \S+/m,
        control: () => `cp /proc/$$/exe image && ls -l image | sed 's/^/image /'`,
      },
    },
  },
  {
    id: "X05",
    title: "change the copy of git's settings that later commands read",
    users: BOTH,
    aim: "evidence",
    needs: { programs: ["git"] },
    ways: {
      "git config --global": {
        does: () =>
          `git config --global planted.by "me $((6 * 7))"; echo '[planted]\nby = me 42' >> $GIT_CONFIG_GLOBAL; git config --global --get planted.by`,
        evidence: /^me 42$/m,
      },
      "replace the file": {
        does: () =>
          `printf '[planted]\\nby = me 42\\n' > new; mv -f new "$GIT_CONFIG_GLOBAL"; git config --global --get planted.by`,
        evidence: /^me 42$/m,
      },
    },
  },
  {
    id: "X06",
    title: "links in the session's temp directory when the server removes it",
    users: BOTH,
    aim: "evidence",
    ways: {
      "links, closed directories, deep ones": { does: { drive: removal }, noControl: "the server removes it itself" },
    },
  },
  {
    id: "X07",
    title: "Landlock alone: signal, trace and read the server where namespaces are refused",
    users: BOTH,
    aim: "evidence",
    ways: landlockAlone(),
  },
  {
    id: "X08",
    title: "find covered credentials under another name",
    users: BOTH,
    alikeForRoot: "what covers credentials is the same for every user; root tries it in R03",
    aim: "evidence",
    ways: MOVED_CREDENTIALS,
  },
  {
    id: "X09",
    title: "change hooks and configuration of submodules, worktrees and repositories below",
    users: BOTH,
    aim: "evidence",
    ways: OTHER_REPOSITORIES,
  },
];

/** Whether a command can write what the runtime loads the server's compiled code from. */
function runtimeCache(environment: (bench: Workbench) => Readonly<Record<string, string>>, folder: string): Way {
  return {
    does: {
      drive: async (scene) => {
        using bench = new Workbench(scene.user);
        const flags = scene.enforced ? [] : ["--no-sandbox"];
        await using server = await startedOrRefused(bench, { flags, environment: environment(bench) });
        if (server === undefined) return {};
        const { text } = await server.shell(`for f in ${folder}/v8_code_cache*; do : >> "$f" && echo "open $f"; done`);
        return { achieved: /^open .*v8_code_cache_v\d/m.exec(text)?.[0] };
      },
    },
  };
}

async function startedOrRefused(
  bench: Workbench,
  options: { readonly flags: readonly string[]; readonly environment: Readonly<Record<string, string>> },
): Promise<ServerProcess | undefined> {
  try {
    return await ServerProcess.start(bench, options);
  } catch (error) {
    if (error instanceof Error && /It wrote:\n[^]*Cannot /.test(error.message)) return undefined;
    throw error;
  }
}

/** The temp directory is full of what leads outside; at the end it must be gone and the outside as it was. */
async function removal(scene: Scene): Promise<Driven> {
  using bench = new Workbench(scene.user);
  using attributes = new ExtendedAttributes();
  const before = lookAt(scene.out, attributes);
  let directory = "";
  {
    await using server = await ServerProcess.start(bench);
    const { text } = await server.shell(
      `cd $TMPDIR && ln -s ${scene.out} link && ln -s ${scene.secret} file && mkdir -p a/b/c closed/inner && ` +
        `ln -s ${scene.out} a/b/c/link && ln -s .. a/up && chmod 000 closed && pwd`,
    );
    directory = /^\/\S+$/m.exec(text)?.[0] ?? "";
    if (directory === "") throw new Error(`The temp directory was not filled: ${text}`);
  }
  const same = JSON.stringify(before) === JSON.stringify(lookAt(scene.out, attributes));
  return { achieved: same ? exists(directory) ? "the temp directory is left" : undefined : "the outside was changed" };
}
