/** X36: commands that are previewed (S40), and what they leave for an apply. */
import { killIfThere, processesWith } from "../../_support/processes.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Scene } from "../frame/attack.ts";
import { driven, together } from "../frame/stage.ts";
import { own } from "../means/as_user.ts";

/** What runs lines, and the places of one attempt. */
interface Previewing {
  readonly bench: Workbench;
  /** Where its lines run: in the scope, or the scope itself. Its `a` and `d/a` hold `as it was`. */
  readonly directory: string;
  /** Of the same user, outside; `kept` in it holds `as it was`. */
  readonly out: string;
  /** Runs a line as a preview; in the control as it is, in the user's own shell. */
  run(line: string): Promise<string>;
  /** Runs a line that is not previewed. */
  runPlainly(line: string): Promise<string>;
  /** Starts such a line; the function it gives waits for its end. */
  start(line: string): Promise<() => Promise<unknown>>;
  /** Applies what a result told. */
  apply(text: string): Promise<void>;
}

type Attempt = (at: Previewing, scene: Scene) => Promise<string | undefined>;

/** The attempts on one server, in turn; the first has the scope for its directory. */
async function previewed(scene: Scene, attempts: Readonly<Record<string, Attempt>>): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  await using stack = new AsyncDisposableStack();
  // Of a control that failed, started lines are left.
  stack.defer(async () => {
    for (const { pid } of await processesWith(bench.marker)) killIfThere(pid);
  });
  const flags = ["--preview", ...scene.flags];
  const server = scene.enforced ? stack.use(await ServerProcess.start(bench, { flags })) : undefined;
  let count = 0;
  return await together(scene, attempts, (attempt) => attempt(placed(scene, { bench, server, at: count++ }), scene));
}

function placed(
  { user }: Scene,
  { bench, server, at }: { readonly bench: Workbench; readonly server: ServerProcess | undefined; readonly at: number },
): Previewing {
  const directory = at === 0 ? bench.scope : `${bench.scope}/p${at}`;
  const out = `${bench.elsewhere}/p${at}`;
  for (const path of [`${out}/kept`, `${directory}/a`, `${directory}/d/a`]) bench.write(path, "as it was\n");
  const shell = async (line: string, more: object = {}) => {
    if (server === undefined) return await own({ user }, { home: bench.home, scope: directory }, line);
    return (await server.shell(line, { working_directory: directory, ...more })).text;
  };
  return {
    bench,
    directory,
    out,
    run: (line) => shell(line, { preview: true }),
    runPlainly: shell,
    start: async (line) => {
      if (server === undefined) {
        const ended = shell(line);
        return () => ended;
      }
      const { operation } = await server.start(line, { working_directory: directory });
      return () => server.call("await", { operation_id: operation?.operation_id });
    },
    apply: async (text) => {
      const operation_id = operationIn(text);
      if (operation_id !== undefined) await server?.call("changes", { operation_id, action: "apply" });
    },
  };
}

function operationIn(text: string): string | undefined {
  return /op_\w+(?=, .* ago, would change)/.exec(text)?.[0];
}

function read(path: string): string {
  return exists(path) ? Deno.readTextFileSync(path) : "";
}

/** Whether a file has this text and the mode of most files. */
function isPlainly(path: string, text: string): boolean {
  return read(path) === text && ((Deno.statSync(path).mode ?? 0) & 0o777) === 0o644;
}

/** Lines that change `a`, each in its own manner. */
const BELOW: Readonly<Record<string, string>> = {
  "plainly": "echo planted > a",
  "by other names of the directory":
    "echo planted > /proc/self/cwd/a; echo planted > /proc/$$/root$PWD/a; echo planted > /proc/1/root$PWD/a",
  "without what is mounted":
    "mountpoint -q . && { umount -l .; unshare -Urm umount -l .; cd /; cd $OLDPWD; }; echo planted > a",
  "by a second name": "ln a b && echo planted > b; mv -f b a",
  "by memory": python(`import mmap, os
memory = mmap.mmap(os.open("a", os.O_RDWR), 9)
memory[0:7] = b"planted"
memory.flush()`),
  "its mode": "chmod 777 a",
};

/** Sends a descriptor of \`a\` to a command that is not previewed, which writes when it is told to. */
function receiver(name: string): string {
  return python(`import os, socket, time
line = socket.socket(socket.AF_UNIX)
line.bind("/tmp/${name}")
line.listen()
open("listens", "w").close()
_, files, _, _ = socket.recv_fds(line.accept()[0], 9, 1)
while not os.path.exists("write"): time.sleep(0.01)
os.pwrite(files[0], b"swapped", 0)
open("written", "w").close()`);
}

function sender(name: string): string {
  return python(`import os, socket
fd = os.open("a", os.O_RDWR)
os.pwrite(fd, b"shown!!", 0)
line = socket.socket(socket.AF_UNIX)
line.connect("/tmp/${name}")
socket.send_fds(line, [b"."], [fd])
line.recv(1)`);
}

/** Exchanges `d` and `e`, with pauses: both states are there as long, and the preview is not kept from its work. */
const TURNS = python(`import ctypes, os, time
libc = ctypes.CDLL(None)
while not os.path.exists("stop"):
  libc.renameat2(-100, b"d", -100, b"e", 2)
  time.sleep(0.001)`);

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "the tree below": ({ bench, directory, run }, scene) =>
    together(scene, BELOW, async (line) => {
      if (exists(`${directory}/b`)) await Deno.remove(`${directory}/b`);
      await Deno.chmod(bench.write("a", "as it was\n"), 0o644);
      await run(line);
      const names = (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).toSorted().join();
      return names === "a,d" && isPlainly(`${directory}/a`, "as it was\n")
        ? undefined
        : `the file in ${directory} is another`;
    }),
  "what another preview has written": takesFromAnother,
  "a link in place of a directory": async ({ out, run, runPlainly, apply }, { enforced }) => {
    const line = "echo planted > d/kept; echo planted > d/new";
    const text = enforced ? await run(line) : "";
    await runPlainly(`mv d e; ln -s ${out} d`);
    if (enforced) await apply(text);
    else await run(line); // as who looks up a name twice
    return changed(out);
  },
  "a directory and a link in turn": async ({ bench, directory, out, run, start, apply }, { enforced, brief }) => {
    await Deno.symlink(out, `${directory}/e`);
    const ended = await start(TURNS);
    for (let round = 0; round < (brief ? 3 : 10) && changed(out) === undefined; round++) {
      await apply(await run("for i in {1..20}; do echo planted > d/f$i; done"));
    }
    bench.write(`${directory}/stop`, "");
    await ended();
    return changed(out) ?? (enforced ? undefined : "");
  },
  "names that hold lines and steps up": async ({ bench, directory, run, apply }, { enforced }) => {
    const line = "mkdir -p $'x\\n..' -- -rf; echo planted > $'x\\n../kept'; touch -- -rf/x '..x' $'\\e[2J'";
    await apply(await run(line));
    if (enforced && read(`${directory}/x\n../kept`) !== "planted\n") return "the apply took another name";
    // As who reads names by lines.
    if (!enforced) await run('find . -type f | while read -r name; do echo planted > "$name"; done');
    return [bench.scope, bench.parent].some((path) => exists(`${path}/kept`)) ? "a file was made outside" : undefined;
  },
  "a descriptor that outlives it": async ({ bench, directory, run, start, apply }, { marker }) => {
    const name = marker.slice(-12);
    const ended = await start(receiver(name));
    await bench.appears(`${directory}/listens`);
    const text = await run(sender(name));
    bench.write(`${directory}/write`, "");
    await bench.appears(`${directory}/written`);
    await apply(text);
    await ended();
    return read(`${directory}/a`).startsWith("swapped") ? "what was not shown is in place" : undefined;
  },
};

export const PREVIEWS: readonly Row[] = [
  {
    id: "X36",
    title: "a preview that changes something, or whose apply does so elsewhere",
    users: BOTH,
    aim: "evidence",
    needs: { programs: ["python3"] },
    ways: { "previews on one server, in turn": { does: driven((scene) => previewed(scene, ATTEMPTS)) } },
  },
];

/** Reads and changes what a preview has written, in another preview and in a command that is none. */
async function takesFromAnother({ bench, run, runPlainly }: Previewing, scene: Scene): Promise<string | undefined> {
  const previews = `${bench.home}/.local/state/ahma/undo/STORE/previews/SESSION`;
  const written = async () => {
    const operation = operationIn(await run("echo victim > v"));
    return (await own(scene, bench, `ls ${previews.replace(/STORE|SESSION/g, "*")}/${operation}/0/upper/p*/v`)).trim();
  };
  const path = scene.enforced ? await written() : bench.write(`${previews}/op_1/0/upper/v`, "victim\n");
  const line = `cat ${path} | tr a-z A-Z; echo planted > ${path}; chmod 777 ${path}; rm -f ${path}`;
  const texts = scene.enforced ? [await run(line), await runPlainly(line)] : [await run(line)];
  return isPlainly(path, "victim\n") && !texts.join().includes("VICTIM") ? undefined : "it was read or changed";
}

/** What is not as it was outside. */
function changed(out: string): string | undefined {
  const names = Array.from(Deno.readDirSync(out), ({ name }) => name);
  const isSame = names.length === 1 && read(`${out}/kept`) === "as it was\n";
  return isSame ? undefined : `outside there are ${names.length} files`;
}
