/** S: signals, lifetime and resources. */
import { until } from "../../_support/deadline.ts";
import { exists } from "../../_support/workbench.ts";
import { BOTH, python, ROOT, type Row, type Scene, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { MANY_CALLS } from "../means/many_calls.ts";
import { LIMITED } from "./memory.ts";
import { driven, newSeed, withOneControl } from "../frame/stage.ts";
import { chainOutlives, type End, outlives, outliveTheServer, type ServerEnd, type Stubborn } from "./survivors.ts";

/** A shell line against the victim. */
function against(line: (victim: number) => string, more: Partial<Way> = {}): Way {
  return { does: ({ victim }) => line(victim), victim: true, ...more };
}

/** A line that would harm the machine or the runner without the sandbox: the control sends the signal to the victim only. */
function controlledByVictim(does: Way["does"], more: Partial<Way> = {}): Way {
  return { does, control: ({ victim }) => `kill -9 ${victim}`, victim: true, ...more };
}

function groupOf(pid: number): string {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "pgid=", "-p", String(pid)] }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}

const STUBBORN: Readonly<Record<string, Stubborn>> = {
  "a session of its own": (nap) => `(setsid ${nap} &); touch ready; sleep 60`,
  "nohup, signals ignored": (nap) =>
    `nohup bash -c 'trap "" HUP TERM INT; while :; do ${nap}; done' >/dev/null 2>&1 & touch ready; sleep 60`,
  "a double fork": (nap) => `( ( ${nap} & ) & ); touch ready; sleep 60`,
  "no environment, another name": (nap) => `env -i bash -c 'exec -a init ${nap}' & touch ready; sleep 60`,
  "a daemon": (nap) =>
    `cd / && python3 -IS -c 'import os, sys
if os.fork(): sys.exit()
os.setsid()
if os.fork(): sys.exit()
os.closerange(0, 100)
os.execvp("sleep", "${nap}".split())'; cd - >/dev/null; touch ready; sleep 60`,
  "stopped": (nap) =>
    `setsid sh -c 'touch up; exec ${nap}' & until [ -e up ]; do :; done; kill -STOP $!; touch ready; sleep 60`,
  "born of the end": (nap) => `trap '(setsid ${nap} &)' TERM EXIT; (setsid ${nap} &); touch ready; sleep 60`,
};

/** The same, for a shell that ends by itself. */
function ending(command: Stubborn): Stubborn {
  return (nap) => command(nap).replace(/sleep 60$/, "true");
}

function all(end: End, names: readonly string[], more: Partial<Way> = {}): Readonly<Record<string, Way>> {
  return Object.fromEntries(
    Object.entries(STUBBORN).filter(([name]) => names.includes(name)).map(([name, command]) => [
      `${name}, ${end}`,
      { ...outlives(end === "itself" ? ending(command) : command, end), ...more },
    ]),
  );
}

/** A time limit ends what runs as a cancel does, and their controls are alike. */
const AS_A_CANCEL: Partial<Way> = { noControl: "it would be that of a cancel" };

function atTheEndOf(end: ServerEnd): Readonly<Record<string, Way>> {
  const names = ["a session of its own", "a daemon", "stopped"];
  const commands = Object.entries(STUBBORN).filter(([name]) => names.includes(name));
  return { [end]: outliveTheServer(Object.fromEntries(commands), end) };
}

const NAMES = Object.keys(STUBBORN);

/** A call with this text as its time limit: must be refused, or the command must come to its own end. */
function limit(text: string): Way {
  return { does: driven((scene) => ranWith(scene, text)), control: driven((scene) => ranWith(scene, "5")) };
}

async function ranWith(scene: Scene, text: string): Promise<string | undefined> {
  const id = `limit-${newSeed()}`;
  const answer = scene.running.message((message) => message.id === id, { what: `the answer to ${text}` });
  const command = JSON.stringify("echo ran $((6 * 7))");
  await scene.running.write(
    `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"sandboxed_shell","arguments":` +
      `{"command":${command},"execution_mode":"Synchronous","timeout_seconds":${text}}}}\n`,
  );
  return JSON.stringify(await answer).includes("ran 42") ? `a command ran with the limit ${text}` : undefined;
}

/** Whether `status` of the operation says "running" after a wait for its end. */
async function isHeldOpen(scene: Scene, command: string, seconds: number): Promise<string | undefined> {
  const args = { command, working_directory: scene.directory, execution_mode: "AsyncResultPush" };
  const { operation } = await scene.running.call("sandboxed_shell", args);
  const operation_id = operation?.operation_id ?? "";
  await scene.running.call("await", { operation_id, timeout_seconds: seconds });
  const { text } = await scene.running.call("cancel", { operation_id });
  return /cancelled/i.test(text) && !/already/i.test(text) ? `it ran on until it was cancelled: ${text}` : undefined;
}

/** Cancels what the client itself asked about an operation; whether that ended the operation. */
async function endsByNotification(scene: Scene, method: "await" | "status" | "cancel"): Promise<string | undefined> {
  const { running } = scene;
  const args = { command: "sleep 60", working_directory: scene.directory, execution_mode: "AsyncResultPush" };
  const operation_id = (await running.call("sandboxed_shell", args)).operation?.operation_id ?? "";
  const id = `cancelled-${newSeed()}`;
  const params = { name: method, arguments: { operation_id, ...method === "await" ? { timeout_seconds: 30 } : {} } };
  await running.send({ jsonrpc: "2.0", id, method: "tools/call", params });
  if (method !== "cancel") {
    await running.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  } else await running.message((message) => message.id === id, { what: "the answer to cancel" });
  const { text } = await running.call("status", { operation_id });
  if (method !== "cancel") await running.call("cancel", { operation_id });
  return /running/.test(text) ? undefined : `the operation is not running: ${text}`;
}

/** More than the limit of processes, and the 300 more that root may have. */
const FORKS_AT_MOST = 600;

/** Forks until it is refused or has as many as asked for, and says how many; all of them end with it. */
const FORKS = python(`import os, signal
made = 0
read, write = os.pipe()
for _ in range(${FORKS_AT_MOST}):
  try: pid = os.fork()
  except OSError: break
  if pid == 0:
    os.close(write)
    os.read(read, 1)
    os._exit(0)
  made += 1
print("made", made)`);

async function forked({ running, directory }: Scene): Promise<string | undefined> {
  const { text } = await running.shell(FORKS, { working_directory: directory });
  const [made] = /^made \d+$/m.exec(text) ?? [];
  if (made === undefined) throw new Error(`It does not say how many: ${text}`);
  return made === `made ${FORKS_AT_MOST}` ? made : undefined;
}

/** The bomb goes off, the server answers meanwhile, and a cancel ends it all. */
async function bombed({ running, directory }: Scene): Promise<string | undefined> {
  const command = "bomb() { bomb | bomb & }; bomb; : > bombed; exec sleep 60";
  const args = { command, working_directory: directory, execution_mode: "AsyncResultPush" };
  const operation_id = (await running.call("sandboxed_shell", args)).operation?.operation_id ?? "";
  await until(() => exists(`${directory}/bombed`), 20_000, "the bomb to go off");
  const { text } = await running.call("status", { operation_id });
  await running.call("cancel", { operation_id });
  return /running/.test(text) ? undefined : `the server no longer knows what runs: ${text}`;
}

export const SIGNALS: readonly Row[] = [
  {
    id: "S01",
    title: "end or stop a process outside",
    users: BOTH,
    aim: "victim",
    ways: {
      "kill": against((victim) => `kill -9 ${victim}`),
      "TERM": against((victim) => `/bin/kill -TERM ${victim}`, { needs: { programs: ["kill"] } }),
      "STOP": against((victim) => `kill -STOP ${victim}`),
      "pkill by a file": against((victim) => `echo ${victim} > pid; pkill -KILL -F pid`, {
        needs: { programs: ["pkill"] },
      }),
      "tgkill": against((victim) => python(`${SYSTEM_CALL}\nprint(call("tgkill", ${victim}, ${victim}, 9))`)),
      "a pidfd": against((victim) =>
        python(`${SYSTEM_CALL}
fd, _ = call("pidfd_open", ${victim}, 0)
print(call("pidfd_send_signal", fd, 9, None, 0))`)
      ),
      "a queued signal": against((victim) =>
        python(`import ctypes\nprint(ctypes.CDLL(None).sigqueue(${victim}, 9, None))`)
      ),
      "the owner of a file's signals": against((victim) =>
        python(`import fcntl, os, signal, time
read, write = os.pipe()
fcntl.fcntl(read, fcntl.F_SETOWN, ${victim})
fcntl.fcntl(read, 10, 9)
fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
os.write(write, b"x")`)
      ),
      "the server and its parent": {
        does: ({ server }) => `kill -9 ${server}; kill -STOP ${server}; kill -9 $PPID; kill -9 1`,
        noControl: 'it would be that of "kill"',
        // Where it ends that, its row is broken.
        sharedServer: LIMITED,
      },
    },
  },
  {
    id: "S02",
    title: "kill -9 -1",
    users: ROOT,
    aim: "victim",
    // Only where the command sees a process tree of its own is it safe to try.
    ways: {
      "everything": controlledByVictim(({ victim }) =>
        `[ $$ -lt 1000 ] && [ "$(ls -d /proc/[0-9]* | wc -l)" -lt 20 ] && kill -9 -1; kill -9 ${victim}`
      ),
    },
  },
  {
    id: "S03",
    title: "end a process group",
    users: BOTH,
    aim: "victim",
    ways: {
      "its own": { does: () => "kill -9 0", noControl: "it would be that of the next way", sharedServer: LIMITED },
      // The victim is in the group of the test run, as the server is.
      "the server's": controlledByVictim(({ server, victim }) =>
        `kill -9 -- -${groupOf(server)} -${victim}; kill -9 ${victim}`
      ),
    },
  },
  {
    id: "S04",
    title: "set limits of a process outside",
    users: BOTH,
    aim: "victim",
    ways: {
      "open files": against((victim) => `prlimit --pid ${victim} --nofile=64:64`),
      "processor time": against((victim) => `prlimit --pid ${victim} --cpu=86400:86400`),
      "file size": against((victim) => `prlimit --pid ${victim} --fsize=4096:4096`),
      "raw": against((victim) =>
        python(`${SYSTEM_CALL}
import struct
print(call("prlimit64", ${victim}, 7, struct.pack("QQ", 32, 32), None))`)
      ),
    },
  },
  {
    id: "S05",
    title: "set priority or processors of a process outside",
    users: BOTH,
    aim: "victim",
    ways: {
      "renice": against((victim) => `renice -n 19 -p ${victim}`),
      "taskset": against((victim) => `taskset -p 1 ${victim}`, {
        needs: { machine: () => navigator.hardwareConcurrency > 1 ? undefined : "there is one processor only" },
      }),
      "chrt": against((victim) => `chrt --batch -p 0 ${victim}`),
      "oom_score_adj": against((victim) => `echo 1000 > /proc/${victim}/oom_score_adj`),
      "all of the user's": controlledByVictim(() => python("import os\nos.setpriority(os.PRIO_USER, 0, 5)")),
    },
  },
  {
    id: "S06",
    title: "outlive the operation: a child in a session of its own",
    users: BOTH,
    aim: "evidence",
    ways: {
      ...all("cancel", ["a session of its own"]),
      ...all("timeout", ["a session of its own"], AS_A_CANCEL),
      ...all("itself", ["a session of its own"]),
    },
  },
  {
    id: "S07",
    title: "outlive the operation: every other way",
    users: BOTH,
    aim: "evidence",
    ways: {
      ...all("cancel", NAMES.slice(1)),
      ...all("timeout", ["born of the end"], AS_A_CANCEL),
      ...all("timeout", NAMES.slice(1, -1), { ...AS_A_CANCEL, extended: true }),
      ...all("itself", NAMES.slice(1)),
    },
  },
  {
    id: "S08",
    title: "hold the operation open from the background",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a child that keeps the output": {
        does: driven((scene) => isHeldOpen(scene, "sleep 60 & echo done", 20)),
        control: driven((scene) => isHeldOpen(scene, "echo done; sleep 60", 1)),
      },
    },
  },
  {
    id: "S09",
    title: "fork without end",
    users: BOTH,
    aim: "evidence",
    ways: {
      "how many, and a bomb, bounded": {
        does: driven(async (scene) => await forked(scene) ?? await bombed(scene)),
        // A bomb without the limit would take the machine with it.
        control: driven(forked),
        sharedServer: LIMITED,
      },
    },
  },
  {
    id: "S11",
    title: "fork faster than one can look",
    users: BOTH,
    aim: "evidence",
    ways: {
      "cancel": chainOutlives(),
      "spawn at the signal": outlives(
        (nap) =>
          `trap 'for i in 1 2 3 4 5 6 7 8; do (setsid ${nap} &); done' TERM; (setsid ${nap} &); touch ready; sleep 60`,
        "cancel",
      ),
    },
  },
  {
    id: "S12",
    title: "leave zombies and descriptors in the server",
    notApplicable: "proven by tests/load_test.ts: many calls in a row, processes and descriptors flat",
  },
  {
    id: "S13",
    title: "a process id given out again is signalled",
    notApplicable:
      "only by hand: it takes a PID namespace with few ids; a finished operation is never signalled (tests/builtin_tools_test.ts)",
  },
  {
    id: "S14",
    title: "time limits that are none",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl(Object.fromEntries(
      ["-1", "0", "-0.0", "1e309", "-1e309", '"5"', '"Infinity"', "9007199254740993", "[5]", "{}", "true", "1e22"]
        .map((text) => [text, limit(text)]),
    )),
  },
  {
    id: "S15",
    title: "1,000 calls at once",
    users: BOTH,
    aim: "evidence",
    ways: { "each with an answer of its own": MANY_CALLS },
  },
  {
    id: "S16",
    title: "signals that a command inherits as ignored",
    users: BOTH,
    aim: "evidence",
    ways: {
      "SIGPIPE": {
        does: () => "yes 2>/dev/null | head -n 1 >/dev/null; echo ended ${PIPESTATUS[0]}",
        control: () => `trap "" PIPE; yes 2>/dev/null | head -n 1 >/dev/null; echo ended \${PIPESTATUS[0]}`,
        evidence: /ended (?!141)\d+/,
      },
      "all masks": {
        does: () => "grep -E '^Sig(Blk|Ign)' /proc/self/status",
        control: () => `trap "" PIPE USR1; grep -E '^Sig(Blk|Ign)' /proc/self/status`,
        evidence: /Sig(Blk|Ign):\t0*[1-9a-f][0-9a-f]*/,
      },
    },
  },
  {
    id: "S17",
    title: "notifications/cancelled for await or status ends the operation",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "await": {
        does: driven((scene) => endsByNotification(scene, "await")),
        control: driven((scene) => endsByNotification(scene, "cancel")),
      },
      "status": { does: driven((scene) => endsByNotification(scene, "status")) },
    }),
  },
  {
    id: "S18",
    title: "outlive the server: a session of its own, a daemon, a stopped child",
    users: BOTH,
    aim: "evidence",
    ways: { ...atTheEndOf("SIGKILL of the server"), ...atTheEndOf("two signals to the server") },
  },
];
