/** Whether a process waits for input, as the kernel tells: what it is blocked in, and what that descriptor is (X23). */
import type { Processor } from "../../system/syscalls.ts";

/** What is needed of the system. */
export interface InputSystem {
  readonly processor: Processor;
  /** What each thread of a process is blocked in (proc(5), `syscall`); empty: it is gone, or closed to this user. */
  callsOf(pid: number): readonly string[];
  /** What the descriptors of a process, or of this server, are, such as `pipe:[1234]`. */
  descriptorsOf(pid: number | "self"): ReadonlyMap<number, string>;
}

/** Numbers of system calls. */
const CALLS: Readonly<Record<Processor, { readonly read: number; readonly selects: readonly number[] }>> = {
  x86_64: { read: 0, selects: [23, 270] },
  aarch64: { read: 63, selects: [72] },
};
const PIPE = /^pipe:/;
const TERMINAL = /^(\/dev)?\/(pts\/\d+|tty)$/;

/**
 * Whether one of `pids` is blocked in a read of a terminal or of a pipe that this server writes to, or in a select of its
 * stdin alone. A program with an event loop waits for many things at once, so that it is not known of it.
 */
export function waitsForInput(pids: readonly number[], system: InputSystem): boolean {
  let own: ReadonlySet<string> | undefined;
  return pids.some((pid) =>
    system.callsOf(pid).some((line) => {
      const descriptor = awaitedDescriptor(line, system.processor);
      if (descriptor === undefined) return false;
      const target = system.descriptorsOf(pid).get(descriptor) ?? "";
      return TERMINAL.test(target) ||
        PIPE.test(target) && (own ??= new Set(system.descriptorsOf("self").values())).has(target);
    })
  );
}

/** The descriptor of a blocked read, from a line such as `0 0x0 0x7ffe...`; undefined: it is not in one. */
function awaitedDescriptor(line: string, processor: Processor): number | undefined {
  const [call, first] = line.split(" ", 2).map(Number);
  const { read, selects } = CALLS[processor];
  if (call === read) return first;
  // The highest descriptor plus one: with 1 it can only be stdin.
  return call !== undefined && selects.includes(call) && first === 1 ? 0 : undefined;
}
