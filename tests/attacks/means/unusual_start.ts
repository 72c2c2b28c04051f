/** A server that is started under conditions of the test's making, asked to run one line. */
import { withDeadline } from "../../_support/deadline.ts";
import { readLines } from "../../_support/line_reader.ts";
import { programStart } from "../../_support/program.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import type { Driven, Scene, ServerSetting, Way } from "../frame/attack.ts";
import { driven, together, withOneControl } from "../frame/stage.ts";
import { own } from "./as_user.ts";
import { Victim } from "./victim.ts";

export interface UnusualStart {
  /** Words before the command line: sets the conditions, then executes its arguments. */
  readonly wrapper: readonly string[];
  /** The shell line, for a server of that process id. */
  readonly line: (server: number) => string;
  readonly flags: readonly string[];
}

const DEADLINE = 40_000;

/** All that the server wrote to stdout; empty where it refused to start. */
export async function lineUnder(bench: Workbench, { wrapper, line, flags }: UnusualStart): Promise<string> {
  const start = programStart(bench, flags);
  // The conditions are the server's, not those of the program that takes on the user.
  const ids = start.command === "setpriv" ? start.args.slice(0, 3) : [];
  const program = [...start.command === "setpriv" ? [] : [start.command], ...start.args.slice(ids.length)];
  const [command = "", ...args] = [...ids.length > 0 ? ["setpriv", ...ids] : [], ...wrapper, ...program];
  const child = new Deno.Command(command, {
    args,
    cwd: bench.scope,
    clearEnv: true,
    env: { ...start.environment },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const answered = Promise.withResolvers<void>();
  let text = "";
  const reading = readLines(child.stdout, (message) => {
    text += `${message}\n`;
    if (ANSWER.test(message)) answered.resolve();
  }).then(answered.resolve); // it refused to start, or was ended
  await ask(child.stdin, { line: line(child.pid), answered: answered.promise });
  await withDeadline(Promise.all([reading, child.status]), DEADLINE, "the end of the server");
  return text;
}

/** Of the call, which has no other message of this id. */
const ANSWER = /"id":2[,}]/;

/** Calls, and ends the input when there is the answer: what runs then would be ended with it. */
async function ask(
  stdin: WritableStream<Uint8Array>,
  { line, answered }: { readonly line: string; readonly answered: Promise<void> },
): Promise<void> {
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    },
    { method: "notifications/initialized" },
    {
      id: 2,
      method: "tools/call",
      params: { name: "sandboxed_shell", arguments: { command: line, execution_mode: "Synchronous" } },
    },
  ];
  const text = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await withDeadline(answered, DEADLINE, "the answer, or the end of the server");
    await writer.close();
  } catch (error) {
    // It refused to start.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** Python that makes system calls fail with an errno, for itself and all it executes. */
function failing(calls: readonly number[], errno: number): readonly string[] {
  const program = `import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
numbers = ${JSON.stringify(calls)}
code = [(0x20, 0, 0, 0)]
for index, number in enumerate(numbers): code.append((0x15, len(numbers) - index, 0, number))
code += [(0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x00050000 | ${errno})]
filter = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *one) for one in code))
program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(filter)))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])`;
  return ["/usr/bin/python3", "-IS", "-c", program];
}

const EPERM = 1;
const UNSHARE = 272;

/** A server that the system refuses namespaces. */
export const REFUSING_NAMESPACES = { prefix: failing([UNSHARE], EPERM), plainControl: true } satisfies ServerSetting;

/** A way at a server that the system refuses namespaces. */
export function withoutNamespaces(way: Way): Way {
  return {
    ...way,
    sharedServer: REFUSING_NAMESPACES,
    needs: { machine: (user) => noFilter() ?? way.needs?.machine?.(user) },
  };
}

/** Why system calls cannot be made to fail here; undefined: they can. */
export function noFilter(): string | undefined {
  return Deno.build.arch === "x86_64" ? undefined : "the filter is written for x86_64";
}

/** Python that stacks layers of Landlock which deny next to nothing, up to the kernel's limit. */
function layers(count: number): readonly string[] {
  const program = `import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
for _ in range(${count}):
  attribute = ctypes.create_string_buffer(struct.pack("<Q", 1 << 11))
  fd = libc.syscall(ctypes.c_long(444), attribute, ctypes.c_long(8), ctypes.c_long(0))
  assert libc.syscall(ctypes.c_long(446), ctypes.c_long(fd), ctypes.c_long(0)) == 0
os.execvp(sys.argv[1], sys.argv[1:])`;
  return ["/usr/bin/python3", "-IS", "-c", program];
}

/** Reads and writes outside; the control does so without the sandbox, under the same conditions. */
function confinedUnder(wrapper: readonly string[]): Way {
  return {
    does: { drive: (scene) => attackUnder(scene, wrapper) },
    needs: { machine: noFilter },
  };
}

async function attackUnder(scene: Scene, wrapper: readonly string[]): Promise<Driven> {
  using bench = new Workbench(scene.user);
  const before = `${scene.out}/planted`;
  const text = await lineUnder(bench, {
    wrapper,
    line: () => `cat ${scene.secret}; echo x > ${before}`,
    flags: scene.enforced ? [] : ["--no-sandbox"],
  });
  const read = text.includes(scene.marker) ? "the secret was read" : undefined;
  return { achieved: exists(before) ? "a file was made outside" : read };
}

/** What the other layers would have kept from the command's sight. */
interface OnServer {
  readonly line: (server: number) => string;
  /** What the text of the answer shows. */
  readonly achieved: (text: string, scene: Scene) => string | undefined;
}

/** Signals come last: the server may not live after them. */
const ON_SERVER: Readonly<Record<string, OnServer>> = {
  "its environment": {
    line: (server) => `tr '\\0' '\\n' < /proc/${server}/environ`,
    achieved: (text, { marker }) => text.includes(marker) ? "the server's environment was read" : undefined,
  },
  "trace": {
    line: (server) =>
      `/usr/bin/python3 -ISc 'import ctypes; print(41 - ctypes.CDLL(None).ptrace(0x4206, ${server}, 0, 0) + 1)'`,
    achieved: (text) => /(?<!\d)42\\n/.test(text) ? "the server was traced" : undefined,
  },
  "pidfd_send_signal": {
    line: (server) =>
      `/usr/bin/python3 -ISc 'import signal, os; signal.pidfd_send_signal(os.pidfd_open(${server}), 9)'`,
    achieved: died,
  },
  "kill": { line: (server) => `kill -9 ${server}; kill -STOP ${server}`, achieved: died },
};

function died(text: string): string | undefined {
  return text.includes('"id":2') ? undefined : "the server did not live to answer";
}

/** X07: in the sandbox one server meets all of them; without it each has an innocent process that it may end. */
export function landlockAlone(): Readonly<Record<string, Way>> {
  const meets = async (scene: Scene) => {
    using bench = new Workbench(scene.user);
    const attempts = Object.values(ON_SERVER);
    const text = await lineUnder(bench, {
      wrapper: ["env", `ATTACKED_TOKEN=${scene.marker}`, ...REFUSING_NAMESPACES.prefix],
      line: (server) => attempts.map(({ line }) => line(server)).join("; "),
      flags: [],
    });
    return attempts.map(({ achieved }) => achieved(text, scene)).find((what) => what !== undefined);
  };
  return {
    "signals, its environment and trace": {
      does: driven(meets),
      control: driven((scene) =>
        together(scene, ON_SERVER, async ({ line, achieved }) => {
          await using victim = await Victim.start(scene.user, scene);
          const text = await own(scene, scene, line(victim.pid));
          return await victim.harm() ?? achieved(JSON.stringify({ id: 2, text }), scene);
        })
      ),
      needs: { machine: noFilter },
    },
  };
}

const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EIO = 5;
const LANDLOCK_CREATE_RULESET = 444;
const MOST_LAYERS = 16;

/** N12: no Landlock. */
export function withoutLandlock(): Readonly<Record<string, Way>> {
  const way = (errno: number) => ({
    ...confinedUnder(failing([LANDLOCK_CREATE_RULESET], errno)),
    noControl: "it would be that of N13, where another call fails",
  });
  return {
    "not built in": way(ENOSYS),
    "switched off at boot": { ...way(EOPNOTSUPP), extended: true },
    "forbidden": way(EPERM),
  };
}

/** N09: no layer is left for ours. */
export function withAllLayers(): Readonly<Record<string, Way>> {
  return withOneControl({
    "one left": confinedUnder(layers(MOST_LAYERS - 1)),
    // tests/launcher_failures_test.ts shows that nothing runs there.
    "none left": { ...confinedUnder(layers(MOST_LAYERS)), extended: true },
  });
}

/** What the launcher calls on the way in only with a sandbox, by x86_64 number. */
const STEPS: Readonly<Record<string, number>> = {
  landlock_restrict_self: 446,
  landlock_add_rule: 445,
  unshare: UNSHARE,
  mount: 165,
  open_tree: 428,
  move_mount: 429,
  mount_setattr: 442,
  capset: 126,
};

/** What it calls without one too. */
const COMMON_STEPS: Readonly<Record<string, number>> = { close_range: 436, setsid: 112, pidfd_open: 434 };

/** Of those that fail: one of each kind. tests/launcher_failures_test.ts fails every step, without a server. */
const TOLD: readonly string[] = ["landlock_restrict_self", "mount"];

/** The rows of X that are tried without namespaces attack a server that is refused them. */
function isTried(name: string, errno: number): boolean {
  return errno === EIO ? TOLD.includes(name) : name !== "unshare";
}

/** N13: one step after the other fails, or is refused as by a system that forbids it. */
export function withFailingSteps(): Readonly<Record<string, Way>> {
  const ways = (steps: Readonly<Record<string, number>>, errno: number, what: string) =>
    Object.entries(steps).map(([name, number]): [string, Way] => [`${name} ${what}`, {
      ...confinedUnder(failing([number], errno)),
      ...!isTried(name, errno) && { extended: true },
    }]);
  const { unshare = 0, mount_setattr = 0 } = STEPS;
  return withOneControl(Object.fromEntries([
    ...ways(STEPS, EIO, "fails"),
    ...ways(COMMON_STEPS, EIO, "fails"),
    ...ways({ unshare, mount_setattr }, EPERM, "is refused"),
  ]));
}
