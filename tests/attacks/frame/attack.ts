/** One row of the attack catalogue: what a command or a client tries, and how one sees that it had an effect. */
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import type { User, Workbench } from "../../_support/workbench.ts";
import type { RaceFacts } from "../races/count.ts";

/** Where things are for one attempt. Every attempt has its own directory, outside tree, victim and marker. */
export interface Place {
  /** Empty, inside the scope, the attempt's working directory. */
  readonly directory: string;
  /** The server's scope. */
  readonly scope: string;
  /** The scope's parent. */
  readonly parent: string;
  /**
   * A tree of the same user outside: `secret` (the marker), `script` (executable, prints the marker), `empty/`,
   * `directory/inside`, and an empty file whose name holds the marker.
   */
  readonly out: string;
  /** `out/secret`. */
  readonly secret: string;
  /** $HOME of the server; files of credentials there hold the server's marker. */
  readonly home: string;
  /** Process id of the server. */
  readonly server: number;
  /** Process id of an innocent process outside, of the same user, in `out`, with the secret on descriptor 3; 0 where the way asks for none. */
  readonly victim: number;
  /** What must not come out. Never written into a command. */
  readonly marker: string;
}

/** What happened that must not: the kinds of effect a row can be after. */
export type Effect =
  /** A marker is in an MCP message, on stderr or in the attempt's directory. */
  | "read"
  /** What is watched outside is not as it was: names, bytes, mode, owner, times, attributes, links. */
  | "write"
  /** The victim is gone, or its limits, priority, affinity or state are others. */
  | "victim"
  /** `tools/list` answers otherwise. */
  | "tools"
  /** Processes of the attempt are left when the call has been answered. */
  | "left"
  /** What the row's own judgement sees. */
  | "evidence";

/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a way with code of its own works with. */
export interface Scene extends Place {
  readonly running: ServerProcess;
  /** Of the server that runs. */
  readonly bench: Workbench;
  readonly user: User;
  /** False in the positive control. */
  readonly enforced: boolean;
  /** Whether what is a matter of chance ends early (`Range`). */
  readonly brief: boolean;
  /** Flags that every sandboxed server of the range gets: for servers of the way's own. */
  readonly flags: readonly string[];
}

/** What an attempt showed. */
export interface Seen {
  readonly place: Place;
  /** All texts of all answers. */
  readonly text: string;
  readonly answers: readonly ToolAnswer[];
}

/** What came of code that drives the server. */
export interface Driven {
  readonly answers?: readonly ToolAnswer[];
  /** What it achieved that it must not: an effect of the kind "evidence". */
  readonly achieved?: string | undefined;
  /** A race in numbers. */
  readonly race?: RaceFacts;
}

/** What must be there for the way to make sense. */
export interface Needs {
  /** Programs on the PATH of commands. Missing ones fail in CI. */
  readonly programs?: readonly string[];
  /** Why this machine cannot tell; undefined: it can. Synchronous, asked outside the sandbox. */
  readonly machine?: (user: User) => string | undefined;
}

/** What one way does: a line for `sandboxed_shell`, or calls of tools in order, or code that drives the server. */
export type Doing =
  | ((place: Place) => string | readonly Call[])
  | { readonly drive: (scene: Scene) => Promise<Driven> };

/** Sets a scene; gives, where something outside the attempt's own places was made, what takes it down. */
export type Prepare = (place: Place, give: (path: string) => void) => void | (() => void);

/** How a server is set up; everything has a default. */
export interface ServerSetting {
  readonly flags?: (bench: Workbench, enforced: boolean) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A program, and its first words, that runs the server. */
  readonly prefix?: readonly string[] | ((user: User) => readonly string[]);
  /** Further permissions of the runtime. */
  readonly permissions?: readonly string[];
  /** Its flags mean nothing without the sandbox: controls are made at the server that is set up by none. */
  readonly plainControl?: true;
  /** Tools of servers behind it: attempts begin when they are listed, as a busy machine lists them late. */
  readonly lists?: readonly string[];
}

/** One way to try the attack. A function alone stands for a way without more. */
export interface Way {
  readonly does: Doing;
  /** The effect the positive control must have; default: the row's. */
  readonly aim?: Effect;
  /** Sets the scene, outside the sandbox, before what is watched is looked at. Use `give` for what the user must own. */
  readonly prepare?: Prepare;
  /** Paths that must stay as they are; default: `out`. */
  readonly watch?: (place: Place) => readonly string[];
  /** Says what the attack achieved; undefined: nothing. A pattern stands for "the output matches". */
  readonly evidence?: RegExp | ((seen: Seen) => string | undefined);
  /** The control does this instead, because the same would harm the machine or the other rows. */
  readonly control?: Doing;
  /** Why there can be no positive control. */
  readonly noControl?: string;
  /** Start a victim. */
  readonly victim?: true;
  /** A server of its own, set up so, in a fresh bench: for attempts that could end or alter it. */
  readonly ownServer?: ServerSetting;
  /** A server set up so, which all ways that name this very object share. Default: the one of the range. */
  readonly sharedServer?: ServerSetting;
  /** Seconds a call may take; default 20. */
  readonly seconds?: number;
  readonly needs?: Needs;
  /** Not tried by the tests, as another way takes nearly the same path; "races": by `deno task attacks` with `--races` only. */
  readonly extended?: true | "races";
}

/** A row. Each of its ways is tried and has its own control: a broken way does not hide behind one that works. */
export interface Attack {
  /** The letter of the family and a number, as in W01. */
  readonly id: string;
  readonly title: string;
  readonly users: readonly User[];
  /** Why the tests need not try it as root too: what decides it is the same for every user. `deno task attacks` does. */
  readonly alikeForRoot?: string;
  /** Default of the ways: what the control must show. */
  readonly aim: Effect;
  readonly ways: Readonly<Record<string, Way | ((place: Place) => string | readonly Call[])>>;
  readonly needs?: Needs;
}

/** A row that is not run here: another system, by hand only, or proven elsewhere. */
export interface NotApplicable {
  readonly id: string;
  readonly title: string;
  readonly notApplicable: string;
}

export type Row = Attack | NotApplicable;

/** Both users. */
export const BOTH: readonly User[] = ["root", "ordinary"];
export const ROOT: readonly User[] = ["root"];
export const ORDINARY: readonly User[] = ["ordinary"];

/** A shell line that runs a Python program, without site packages or start-up files. */
export function python(program: string): string {
  return `/usr/bin/python3 -IS - <<'END_OF_PROGRAM'\n${program}\nEND_OF_PROGRAM`;
}

/** Python: `call(name, arguments...)` gives (result, errno) of a system call by its name. */
export const SYSTEM_CALL = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {
  # name: (x86_64, aarch64)
  "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "io_uring_setup": (425, 425),
  "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_open": (434, 434),
  "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "kcmp": (312, 272), "ptrace": (101, 117),
  "tgkill": (234, 131), "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282),
  "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "kexec_load": (246, 104),
  "init_module": (175, 105), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
  "fsconfig": (431, 431), "fsmount": (432, 432), "pivot_root": (155, 41), "unshare": (272, 97), "setns": (308, 268),
  "clone3": (435, 435), "sethostname": (170, 161), "swapoff": (168, 225), "settimeofday": (164, 170),
  "reboot": (169, 142), "syslog": (103, 116), "chroot": (161, 51), "mount": (165, 40), "umount2": (166, 39),
  "memfd_create": (319, 279), "fanotify_init": (300, 262), "prlimit64": (302, 261), "mount_setattr": (442, 442),
}
def call(name, *words):
  number = NUMBERS[name][0 if os.uname().machine == "x86_64" else 1]
  ctypes.set_errno(0)
  given = [ctypes.c_long(w) if isinstance(w, int) else w for w in words]
  result = libc.syscall(ctypes.c_long(number), *given)
  return result, ctypes.get_errno()
`;
