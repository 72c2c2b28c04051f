/**
 * Runs one command after another, each only if nothing of the last one is left. Each writes into a new pipe, whose
 * output the launcher puts into frames, so that none can hold its stdout or another's.
 */
import { Branches, kept } from "../image/branches.ts";
import {
  ENDED,
  ENTRY_BYTES,
  ENTRY_MODE,
  FRAME_OUTPUT_BYTES,
  OUTPUT_FRAME,
  PINNED_FD,
  REPORT_FD,
} from "../image/interpreter.ts";
import type { DataWord, Table, TableWord } from "../image/table.ts";
import { CHILD_UNTIL_EXEC, O_CLOEXEC, SIGCHLD } from "../../../system/syscalls.ts";
import type { Draft } from "./identity_steps.ts";

export const SIGNALS_FD = 57;
/** The pipe of a command: the lowest numbers, for everything below `SIGNALS_FD` is closed. */
export const READ_FD = 3;
const WRITE_FD = 4;
const SIG_SETMASK = 2;
export const SIGTERM = 15;
const WATCHED_SIGNALS = 1 << SIGTERM - 1 | 1 << SIGCHLD - 1;
/** `struct signalfd_siginfo`, and where in it stand how the signal was sent and the sender's id. */
const SIGNAL_BYTES = 128;
const SIGNAL_CODE = 8;
const SIGNAL_SENDER = 12;
export const WNOHANG = 1;
export const WALL = 0x40000000;
const ECHILD = 0xffff_fff6;
export const POLLIN = 1n;
const POLLHUP = 0x10n;
/** `revents` of a `struct pollfd`, seen as a part of its 64 bits. */
const REVENTS_SHIFT = 48n;
export const IS_READABLE = POLLIN << REVENTS_SHIFT;
const IS_CLOSED = POLLHUP << REVENTS_SHIFT;

/** What the steps of a serving launcher are made from. */
export interface ServeOptions {
  /** Adds what comes before a child is started. */
  readonly prepare: (draft: ServeDraft) => void;
  /** Adds what the child does once it has its output. */
  readonly runCommand: (draft: Draft) => void;
  /**
   * The child is a copy of this process, made by the C library, and hears signals when it has its line (fork_steps.ts).
   * Adds what comes before the first copy. Absent: the child shares the memory until it executes.
   */
  readonly beginCopies?: (draft: ServeDraft) => void;
  /** Adds what comes when the child has executed its program; absent: its output is awaited. */
  readonly handOver?: (draft: ServeDraft) => void;
  /** Jumps to a place if anything other than processes is left. */
  readonly findLeftovers: (draft: ServeDraft, dirty: string) => void;
}

/** What the steps of the loop work with. */
export interface ServeDraft extends Draft {
  readonly branches: Branches;
  /** `struct pollfd` of the command's pipe, then of the signals. */
  readonly output: DataWord;
  readonly signals: DataWord;
  /** What output is read into. */
  readonly buffer: DataWord;
}

/** Blocks the loop's signals, so that it can read them, before there is a first process that would miss them. */
export function blockSignals({ table, sys }: Draft): void {
  table.call("block signals", sys.rt_sigprocmask, [SIG_SETMASK, table.words(WATCHED_SIGNALS), 0, 8]);
}

/** Adds the loop. By then, signal dispositions must be those of the command, and `blockSignals` must have been added. */
export function serveCommands(draft: Draft, options: ServeOptions): void {
  const { table, sys } = draft;
  const branches = new Branches(table);
  const output = table.words((POLLIN << 32n) | BigInt(READ_FD), (POLLIN << 32n) | BigInt(SIGNALS_FD));
  const buffer = table.bytes(new Uint8Array(FRAME_OUTPUT_BYTES));
  const serve = { ...draft, branches, output, buffer, signals: { kind: "data", offset: output.offset + 8 } } as const;
  watchChildren(serve);
  options.beginCopies?.(serve);
  branches.place("the next command");
  const pipe = table.words(0);
  table.call("make the command's output", sys.pipe2, [pipe, O_CLOEXEC]);
  const numbers = (BigInt(WRITE_FD) << 32n) | BigInt(READ_FD);
  table.call("see the numbers of the output", 0, [pipe], { mode: "compare", expect: numbers });
  options.prepare(serve);
  const started = startChild(serve, options);
  options.handOver?.(serve);
  const status = passOutput(serve, started);
  tellEnd(serve, status, options);
  if (options.beginCopies !== undefined) refuse(serve);
  branches.resolve();
}

/** Signals are read from a descriptor; what was opened so far and is not needed again is closed. */
function watchChildren({ table, sys }: ServeDraft): void {
  const close = (from: number, to: number) =>
    table.call("close what is not needed again", sys.close_range, [from, to, 0]);
  // First of all: the signals are then opened at the lowest number, and never at the one that they are kept at.
  close(READ_FD, SIGNALS_FD);
  close(PINNED_FD, PINNED_FD);
  close(REPORT_FD + 1, 0xffff_ffff);
  table.call("open the signals", sys.signalfd4, [-1, table.words(WATCHED_SIGNALS), 8, O_CLOEXEC]);
  table.call("keep the signals open", sys.dup3, [READ_FD, SIGNALS_FD, O_CLOEXEC]);
  close(READ_FD, READ_FD);
}

/** Returns the entry of the start, whose result is the child's id. */
function startChild({ branches, ...draft }: ServeDraft, { runCommand, beginCopies }: ServeOptions): Started {
  const { table, sys } = draft;
  const step = "start the command's process";
  const isCopy = beginCopies !== undefined;
  const clone = isCopy
    ? callFunction(table, step, "fork", [])
    : table.call(step, sys.clone, [CHILD_UNTIL_EXEC, 0, 0, 0, 0]);
  // Both share memory until the child executes its program: the child finds 0 there, and the parent then continues.
  const jumps = [branches.jump("the parent", { word: table.words(0), isNot: 0 })];
  for (const stream of [1, 2]) table.call("give the command its output", sys.dup3, [WRITE_FD, stream, 0]);
  if (!isCopy) hearSignals(draft);
  runCommand(draft);
  branches.place("the parent");
  if (isCopy) jumps.push(branches.jump("no process", { word: table.words(0), is: 0xffff_ffff }));
  table.call("leave the output to the command", sys.close, [WRITE_FD]);
  return { clone, jumps };
}

/** In the child. */
export function hearSignals({ table, sys }: Draft): void {
  table.call("unblock signals", sys.rt_sigprocmask, [SIG_SETMASK, table.words(0), 0, 8]);
}

interface Started {
  readonly clone: number;
  /** Decide by the child's id. */
  readonly jumps: readonly number[];
}

/** Passes output on, and reaps what ends, until the command's first process has ended. Returns its wait status. */
function passOutput(draft: ServeDraft, { clone, jumps }: Started): DataWord {
  const { table, sys, branches, output, signals } = draft;
  branches.place("more output");
  table.call("wait for output and ends", sys.ppoll, [output, 2, 0, 0, 8], { mode: "soft" });
  // Before the output, which may never end.
  branches.jump("ends", { word: signals, mask: IS_READABLE, isNot: 0 });
  branches.jump("no output", { word: output, mask: IS_READABLE, is: 0 });
  passFrame(draft, "more output");
  branches.place("no output");
  branches.jump("more output", { word: output, mask: IS_CLOSED, is: 0 });
  branches.place("ends");
  const signal = readSignal(draft);
  branches.jump("who ended", { word: signal.number, isNot: SIGTERM });
  // The server, which has no id here, asks the command to end; it may have done so before there was one.
  unlessOfServer(draft, signal, "more output");
  table.call("ask the command to end", sys.kill, [0, SIGTERM], { mode: "soft" });
  branches.jump("more output");
  branches.place("who ended");
  const status = table.words(0);
  const ended = kept(draft, "reap what ended", sys.wait4, [-1, status, WNOHANG | WALL, 0]);
  const first = branches.jump("the first has ended", { word: ended, is: 0 });
  const id = { kind: "expected", entry: first } as const;
  table.send(clone, id);
  for (const jump of jumps) table.aim(jump, 0, id);
  branches.jump("more output", { word: ended, is: 0 });
  branches.jump("who ended");
  branches.place("the first has ended");
  return status;
}

/** Passes on the pipe's content, as one frame, and continues. */
function passFrame({ table, sys, branches, buffer }: ServeDraft, next: string): void {
  const mark = table.words(OUTPUT_FRAME);
  const parts = table.addresses([mark, 8, 0, 8, buffer, 0]);
  const length = { kind: "data", offset: parts.offset + 40 } as const;
  table.pointers.push({ at: parts.offset + 16, to: length });
  table.send(table.call("read output", sys.read, [READ_FD, buffer, FRAME_OUTPUT_BYTES]), length);
  table.call("pass output on", sys.writev, [1, parts, 3]);
  branches.jump(next);
}

/** Reports how the command ended and what is left of it; waits for the next one only if nothing is left. */
function tellEnd(draft: ServeDraft, status: DataWord, { findLeftovers }: ServeOptions): void {
  const { table, sys, branches, output } = draft;
  const others = kept(draft, "reap what is left", sys.wait4, [-1, table.words(0), WNOHANG | WALL, 0]);
  branches.jump("others are left", { word: others, is: 0 });
  branches.jump("the first has ended", { word: others, isNot: ECHILD });
  branches.place("rest of the output");
  table.call("look at the output", sys.ppoll, [output, 1, table.words(0, 0), 0, 8], { mode: "soft" });
  branches.jump("the output is open", { word: output, mask: IS_CLOSED, is: 0 });
  branches.jump("the output is read", { word: output, mask: IS_READABLE, is: 0 });
  passFrame(draft, "rest of the output");
  branches.place("the output is read");
  table.call("close the output", sys.close, [READ_FD]);
  findLeftovers(draft, "something is left");
  reportEnd(draft, { status, left: ENDED.clean });
  branches.jump("the next command");
  branches.place("something is left");
  reportEnd(draft, { status, left: ENDED.alone });
  table.call("end", sys.exit_group, [0]);
  branches.place("the output is open"); // some other sandbox holds it
  reportEnd(draft, { status, left: ENDED.alone });
  branches.jump("the last output");
  branches.place("others are left");
  reportEnd(draft, { status, left: ENDED.withOthers });
  branches.place("the last output");
  table.call("wait for output", sys.ppoll, [output, 1, 0, 0, 8], { mode: "soft" });
  branches.jump("no last output", { word: output, mask: IS_READABLE, is: 0 });
  passFrame(draft, "the last output");
  branches.place("no last output");
  branches.jump("the last output", { word: output, mask: IS_CLOSED, is: 0 });
  branches.place("the last end");
  const last = kept(draft, "reap the last", sys.wait4, [-1, table.words(0), WALL, 0]);
  branches.jump("the last end", { word: last, isNot: ECHILD });
  table.call("end", sys.exit_group, [0]);
}

/** Adds the report of a command's end, whose wait status stands in data. */
export function reportEnd(
  { table, sys }: Draft,
  { status, left }: { readonly status: DataWord; readonly left: number },
): void {
  const head = table.words(0, 0);
  const tail = table.words(0, 0, 0, 0, 0, ENTRY_MODE.ended, left, 0);
  const parts = table.addresses([head, 16, status, 8, tail, ENTRY_BYTES - 24]);
  table.call("tell the end", sys.writev, [REPORT_FD, parts, 3]);
}

/** The C library got no process: the kernel is asked once more, for its reason. */
function refuse({ table, sys, branches }: ServeDraft): void {
  branches.place("no process");
  table.call("start the command's process", sys.clone, [SIGCHLD, 0, 0, 0, 0]);
  table.call("end", sys.exit_group, [0]);
}

/** Calls a function of the program that the table is a part of. Returns the entry's index. */
export function callFunction(table: Table, step: string, name: string, args: readonly TableWord[]): number {
  return table.call(step, 0, args, { mode: "function", name });
}

/** Where the data describes a signal. */
export interface ReadSignal {
  readonly number: DataWord;
  readonly code: DataWord;
  readonly sender: DataWord;
}

/** Jumps elsewhere if a command sent the signal: a command can fake the id, but not with this code (SI_USER). */
export function unlessOfServer({ branches }: ServeDraft, { code, sender }: ReadSignal, elsewhere: string): void {
  branches.jump(elsewhere, { word: code, isNot: 0 });
  branches.jump(elsewhere, { word: sender, isNot: 0 });
}

/** Reads a signal, or waits for one. */
export function readSignal({ table, sys }: Draft): ReadSignal {
  const number = table.bytes(new Uint8Array(SIGNAL_BYTES));
  table.call("wait for a signal", sys.read, [SIGNALS_FD, number, SIGNAL_BYTES], { mode: "soft" });
  const at = (offset: number): DataWord => ({ kind: "data", offset: number.offset + offset });
  return { number, code: at(SIGNAL_CODE), sender: at(SIGNAL_SENDER) };
}

/** A block has at most this many bytes after its head; together they fit into an empty pipe at once (pipe(7)). */
export const ROOM_BYTES = 32 * 1024;
/** The size for the call that reads, as what must come, and for a call that writes. */
export const HEAD_BYTES = 24;

/** Where a block is read to. */
export type Room = DataWord;

/** A call that writes the block somewhere else. */
export interface Written {
  readonly step: string;
  readonly number: number;
  readonly descriptor: number;
}

/** Adds what reads a block, whole or not at all, and what writes it; absent: nothing does. */
export function readBlock({ table, sys }: Draft, room: Room, written?: Written): void {
  const head = table.addresses([0, 8, 0, 8, table.words(0), 8]);
  table.call("wait for a command", sys.readv, [0, head, 3], { mode: "equals", expect: HEAD_BYTES });
  const body = table.call("read the command", sys.read, [0, room, 0], { mode: "equals" });
  table.pointers.push({ at: head.offset, to: { kind: "argument", entry: body, index: 2 } });
  table.pointers.push({ at: head.offset + 16, to: { kind: "expected", entry: body } });
  if (written === undefined) return;
  const write = table.call(written.step, written.number, [written.descriptor, room, 0]);
  table.pointers.push({ at: head.offset + 32, to: { kind: "argument", entry: write, index: 2 } });
}
