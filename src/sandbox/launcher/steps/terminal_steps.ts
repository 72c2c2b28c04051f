/** A terminal of the command's own: the server takes its master over, and the command becomes the leader of its session. */
import { AT_FDCWD, O_CLOEXEC, type Processor, SYSTEM_CALLS } from "../../../system/syscalls.ts";
import { sizeWord, type TerminalSize, TIOCSWINSZ } from "../../../system/terminal/terminal.ts";
import type { Table } from "../image/table.ts";

/** The descriptor of the master while the server takes it. */
export const MASTER_FD = 60;
const SLAVE_FD = 59;
const O_RDWR = 2;
const O_NOCTTY = 0x100;
const TIOCSPTLCK = 0x40045431;
const TIOCGPTPEER = 0x5441;
const TIOCSCTTY = 0x540e;
const OPEN_STEP = "open a terminal";
const HAND_STEP = "hand the terminal over";
const ENTER_STEP = "enter the terminal";

/**
 * Adds steps right before the program. They write a byte to stdout once the master is there, and go on when a byte comes
 * on stdin, which the server writes when it has the master. `isOwn`: whether the sandbox has terminals of its own.
 */
export function giveTerminal(
  table: Table,
  { size, isOwn, processor }: { readonly size: TerminalSize; readonly isOwn: boolean; readonly processor: Processor },
): void {
  const sys = SYSTEM_CALLS[processor];
  const path = table.text(isOwn ? "/dev/pts/ptmx" : "/dev/ptmx");
  const opened = table.call(OPEN_STEP, sys.openat, [AT_FDCWD, path, O_RDWR | O_NOCTTY | O_CLOEXEC, 0]);
  // A number is not copied onto itself; where it is another one, the next step fails.
  const master = table.call(OPEN_STEP, sys.dup3, [0, MASTER_FD, O_CLOEXEC], { mode: "soft" });
  table.passOn(opened, master);
  table.call(OPEN_STEP, sys.ioctl, [MASTER_FD, TIOCSPTLCK, table.words(0)]);
  table.call(OPEN_STEP, sys.ioctl, [MASTER_FD, TIOCSWINSZ, table.words(sizeWord(size))]);
  const peer = table.call(OPEN_STEP, sys.ioctl, [MASTER_FD, TIOCGPTPEER, O_RDWR | O_NOCTTY]);
  const slave = table.call(OPEN_STEP, sys.dup3, [0, SLAVE_FD, O_CLOEXEC], { mode: "soft" });
  table.passOn(peer, slave);
  table.call(HAND_STEP, sys.write, [1, table.text("."), 1], { mode: "equals", expect: 1 });
  table.call(HAND_STEP, sys.read, [0, table.words(0), 1], { mode: "equals", expect: 1 });
  // Without namespaces it leads a session already; only a leader gets through the next step.
  table.call(ENTER_STEP, sys.setsid, [], { mode: "soft" });
  table.call(ENTER_STEP, sys.ioctl, [SLAVE_FD, TIOCSCTTY, 0]);
  for (const descriptor of [0, 1, 2]) table.call(ENTER_STEP, sys.dup3, [SLAVE_FD, descriptor, 0]);
  table.call(ENTER_STEP, sys.close_range, [3, SLAVE_FD, 0]);
}
