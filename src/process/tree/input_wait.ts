/** Whether a process waits for input, as the kernel tells: what it is blocked in, and what that descriptor is (X23). */
import { OWN_CALLS, THIS_PROCESSOR } from "../../system/syscalls.ts";

/** What is needed of the system. */
export interface InputSystem {
  /** What each thread of a process is blocked in (proc(5), `syscall`); empty: it is gone, or closed to this user. */
  callsOf(pid: number): ReadonlyMap<number, string>;
  /** How often a thread has begun to wait. */
  waitsOf(thread: number): string;
  /** What the descriptors of a process, or of this server, are, such as `pipe:[1234]`. */
  descriptorsOf(pid: number | "self"): ReadonlyMap<number, string>;
  /** Bytes that can be read now from a descriptor of this server, or from the terminal at a path in /proc. */
  unread(place: number | string): number;
}

/** Numbers of system calls. */
const CALLS = { read: OWN_CALLS.read, selects: THIS_PROCESSOR === "x86_64" ? [23, 270] : [72] };
const PIPE = /^pipe:/;
const TERMINAL = /^(\/dev)?\/(pts\/\d+|tty)$/;

/**
 * The thread that waits in a read of a terminal or our pipe, or in a select of stdin alone, with a number for each
 * wait; undefined: none, or it waits for much.
 */
export function inputWait(pids: readonly number[], system: InputSystem): string | undefined {
  let own: ReadonlyMap<string, readonly number[]> | undefined;
  const ownEnds = (target: string) =>
    PIPE.test(target) ? (own ??= byTarget(system.descriptorsOf("self"))).get(target) : [];
  for (const pid of pids) {
    for (const [thread, call] of system.callsOf(pid)) {
      const descriptor = awaitedDescriptor(call);
      if (descriptor === undefined) continue;
      const targets = system.descriptorsOf(pid);
      const target = targets.get(descriptor) ?? "";
      const isTerminal = TERMINAL.test(target);
      const ours = ownEnds(target) ?? [];
      if (!isTerminal && ours.length === 0) continue;
      // What was typed may not have reached it yet.
      const input = isTerminal ? [`/proc/${pid}/fd/${descriptor}`] : ours;
      if (input.some((place) => system.unread(place) > 0)) continue;
      // Output from before it began to wait comes first.
      const written = OUTPUTS.flatMap((one) => ownEnds(targets.get(one) ?? "") ?? []);
      if (written.some((end) => system.unread(end) > 0)) return undefined;
      return `${thread} ${system.waitsOf(thread)}`;
    }
  }
  return undefined;
}

const OUTPUTS = [1, 2];

function byTarget(descriptors: ReadonlyMap<number, string>): ReadonlyMap<string, readonly number[]> {
  const groups = Map.groupBy(descriptors, ([, target]) => target);
  return new Map([...groups].map(([target, found]) => [target, found.map(([descriptor]) => descriptor)]));
}

/** The descriptor of a blocked read, from a line such as `0 0x0 0x7ffe...`; undefined: it is not in one. */
function awaitedDescriptor(line: string): number | undefined {
  const [call = "", first = "", , , , limit] = line.split(" ");
  const { read, selects } = CALLS;
  if (call === String(read)) return Number(first);
  // The highest descriptor plus one: with 1 it can only be stdin. With a limit it waits for something else too.
  return selects.some((one) => call === String(one)) && first === "0x1" && limit === "0x0" ? 0 : undefined;
}
