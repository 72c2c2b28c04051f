/** A shell that waits for its line. The launcher passes the line on, so it knows whether a shell had taken one. */
import { kept } from "../image/branches.ts";
import { ENDED } from "../image/interpreter.ts";
import { O_CLOEXEC } from "../../../system/syscalls.ts";
import {
  IS_READABLE,
  POLLIN,
  readBlock,
  readSignal,
  reportEnd,
  type Room,
  type ServeDraft,
  SIGNALS_FD,
  SIGTERM,
  unlessOfServer,
  WALL,
  WNOHANG,
} from "./serve_steps.ts";
import type { Draft } from "./identity_steps.ts";

/** The pipe that a line goes through: it is opened after that of the output. */
const READ_FD = 5;
const WRITE_FD = 6;
/** `revents` of a `struct pollfd`. */
const ANYTHING = 0xffffn << 48n;

/** Makes the pipe to a shell. */
export function makeInput({ table, sys }: Draft): void {
  const pipe = table.words(0);
  table.call("make the shell's input", sys.pipe2, [pipe, O_CLOEXEC]);
  const numbers = (BigInt(WRITE_FD) << 32n) | BigInt(READ_FD);
  table.call("see the numbers of the input", 0, [pipe], { mode: "compare", expect: numbers });
}

/** In the child: its stdin is that pipe. */
export function takeInput({ table, sys }: Draft): void {
  table.call("give the shell its input", sys.dup3, [READ_FD, 0, 0]);
}

/** Waits for a line and passes it on. If the shell ends, or must end, before a line comes, so does the sandbox. */
export function passLine(draft: ServeDraft, room: Room): void {
  const { table, sys, branches } = draft;
  const stdin = table.words(POLLIN << 32n, (POLLIN << 32n) | BigInt(SIGNALS_FD));
  branches.place("wait for a line");
  table.call("wait for a line", sys.ppoll, [stdin, 2, 0, 0, 8], { mode: "soft" });
  branches.jump("no signal", { word: { kind: "data", offset: stdin.offset + 8 }, mask: IS_READABLE, is: 0 });
  const signal = readSignal(draft);
  branches.jump("perhaps the shell ended", { word: signal.number, isNot: SIGTERM });
  unlessOfServer(draft, signal, "wait for a line");
  endUntaken(draft, SIGTERM);
  branches.place("perhaps the shell ended");
  const ended = kept(draft, "see whether the shell ended", sys.wait4, [-1, table.words(0), WNOHANG | WALL, 0]);
  branches.jump("wait for a line", { word: ended, is: 0 });
  endUntaken(draft, 0);
  branches.place("no signal");
  branches.jump("wait for a line", { word: stdin, mask: ANYTHING, is: 0 });
  const written = { step: "pass the line on", number: sys.write, descriptor: WRITE_FD };
  readBlock(draft, room, written);
  table.call("end the input", sys.close, [WRITE_FD]);
}

/** Ends the sandbox where the shell ended and has not read its whole line, of which it has run nothing then. */
export function findLine(draft: ServeDraft): void {
  const { table, sys, branches } = draft;
  const input = table.words((POLLIN << 32n) | BigInt(READ_FD));
  table.call("look for the line", sys.ppoll, [input, 1, table.words(0, 0), 0, 8], { mode: "soft" });
  branches.jump("the line is read", { word: input, mask: IS_READABLE, is: 0 });
  endUntaken(draft, 0);
  branches.place("the line is read");
  table.call("close the input", sys.close, [READ_FD]);
}

/** Reports the end of a process that took no line, and ends the sandbox. */
export function endUntaken(draft: ServeDraft, status: number): void {
  const { table, sys } = draft;
  reportEnd(draft, { status: table.words(status), left: ENDED.untaken });
  table.call("end", sys.exit_group, [0]);
}
