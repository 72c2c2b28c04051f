/**
 * A shell that forks (P5): the first process of a sandbox becomes a bash, which stops at the end of its start and serves
 * lines from there. Each line runs in a copy of it, which waits for the line and goes on as `bash -c` does. The copy alone
 * is in a Landlock domain, and reaches neither memory nor descriptors of the first process, which no signal of the sandbox
 * ends.
 */
import { kept } from "./image/branches.ts";
import { callFunction, hearSignals, READ_FD, readBlock, type Room, type ServeDraft } from "./steps/serve_steps.ts";
import { endUntaken } from "./steps/shell_steps.ts";
import { ENTRY_BYTES, ENTRY_MODE, FRAME_OUTPUT_BYTES, REPORT_FD } from "./image/interpreter.ts";
import { SHELL_FILE } from "./image/shared_object.ts";
import { QUEUES_FD, SHARED_MEMORY_FD, TERMINALS_FD } from "./steps/leftover_steps.ts";
import { enforceRuleset, RULESET_FD } from "./landlock_rules.ts";
import { execute } from "./policy_table.ts";
import type { Draft } from "./steps/identity_steps.ts";
import type { LaunchCommand } from "../policy/policy.ts";
import { AT_FDCWD, O_CLOEXEC, O_NONBLOCK, type Processor } from "../../system/syscalls.ts";
import type { Table, TableWord } from "./image/table.ts";

/** The shared object, and what the shell prints while it starts. */
const PART_FD = 56;
const PRINTED_FD = 55;
/** Free once the shell has started. */
const TAKEN_LINE_FD = 56;
const F_SETFD = 2;
const SEEK_CUR = 1;
const PR_SET_NAME = 15;
const SIG_SETMASK = 2;
const ALL_SIGNALS = 0xffff_ffff_ffff_ffffn;
/** The version of bash whose copies were compared with new ones. */
const VERSION = "5.2";
/** What the shell runs where it does not stop. */
const NOTHING = "exit 126";

/** What becomes a shell that forks. */
export interface ForkingShell {
  /** Its argv without the line. */
  readonly shell: LaunchCommand;
  /** The shared object. */
  readonly part: Uint8Array;
}

/** Adds the last steps of the first process. */
export function becomeShell({ table, sys }: Draft, { shell, part }: ForkingShell, processor: Processor): void {
  memoryFile({ table, sys }, PRINTED_FD);
  memoryFile({ table, sys }, PART_FD);
  const [step, size] = ["write the shell's part", part.length];
  table.call(step, sys.write, [PART_FD, table.bytes(part), size], { mode: "equals", expect: size });
  for (const stream of [1, 2]) table.call("keep what the shell prints", sys.dup3, [PRINTED_FD, stream, 0]);
  for (const descriptor of [TERMINALS_FD, SHARED_MEMORY_FD, QUEUES_FD, RULESET_FD, REPORT_FD]) {
    table.call("keep descriptors", sys.fcntl, [descriptor, F_SETFD, 0], { mode: "soft" });
  }
  const environment = [...shell.environment, `LD_PRELOAD=/proc/self/fd/${PART_FD}`, `BASH_ENV=${SHELL_FILE}`];
  execute(table, { ...shell, argv: [...shell.argv, NOTHING], environment }, processor);
}

function memoryFile({ table, sys }: Pick<Draft, "table" | "sys">, descriptor: number): void {
  const made = table.call("make a file in memory", sys.memfd_create, [table.text("ahma_shell"), 0]);
  table.passOn(made, table.call("keep a file in memory", sys.dup3, [0, descriptor, 0]));
}

/**
 * Adds the first steps inside the shell. One that printed anything would print it for each line, and other versions may
 * keep other things from their start: such a shell serves no line.
 */
export function beginServing({ table, sys }: Draft): void {
  seeVersion(table);
  table.call("see what the shell printed", sys.lseek, [2, 0, SEEK_CUR], { mode: "equals", expect: 0 });
  table.call("block signals", sys.rt_sigprocmask, [SIG_SETMASK, table.words(ALL_SIGNALS), 0, 8]);
  table.call("take the output back", sys.dup3, [REPORT_FD, 1, O_CLOEXEC]);
  table.call("name the first process", sys.prctl, [PR_SET_NAME, table.text("ahma"), 0, 0, 0]);
  const ready = table.words(0, 0, 0, 0, 0, 0, 0, 0, ENTRY_MODE.ready, 0, 0);
  table.call("tell that the shell is ready", sys.write, [REPORT_FD, ready, ENTRY_BYTES]);
}

function seeVersion(table: Table): void {
  const step = "see the version of the shell";
  const copied = callFunction(table, step, "memcpy", [0, { kind: "symbol", name: "dist_version" }, 8]);
  const compared = callFunction(table, step, "strcmp", [0, table.text(VERSION)]);
  table.aim(copied, 0, { kind: "argument", entry: compared, index: 0 });
  const result = table.words(0);
  table.send(compared, result);
  table.call(step, 0, [result], { mode: "compare", expect: 0 });
}

/** Makes the mark of a taken line, which the first process has in common with each copy. */
export function makeMark({ table, sys }: Draft): void {
  const made = table.call("mark taken lines", sys.eventfd2, [0, O_CLOEXEC | O_NONBLOCK]);
  table.passOn(made, table.call("mark taken lines", sys.dup3, [0, TAKEN_LINE_FD, O_CLOEXEC]));
  table.call("mark taken lines", sys.close, [READ_FD]);
}

/** Forgets the last output, which a copy would have in its memory. The line was in the memory of the last copy only. */
export function forgetOutput({ table, buffer }: ServeDraft): void {
  callFunction(table, "forget the last output", "memset", [buffer, 0, FRAME_OUTPUT_BYTES]);
}

/** Ends the sandbox where the copy was killed before it took a line. */
export function findTaken(draft: ServeDraft): void {
  const { table, sys, branches } = draft;
  const read = kept(draft, "look for the mark", sys.read, [TAKEN_LINE_FD, table.words(0), 8]);
  branches.jump("the line was taken", { word: read, is: 8 });
  endUntaken(draft, 0);
  branches.place("the line was taken");
}

/** In the copy, which is made before there is a line: confines it, and makes it what a bash is at its start. */
export function awaitLine(draft: Draft, line: Room): void {
  const { table, sys } = draft;
  const nothing = table.call("open an empty stdin", sys.openat, [AT_FDCWD, table.text("/dev/null"), O_CLOEXEC, 0]);
  enforceRuleset(draft);
  table.call("name the shell", sys.prctl, [PR_SET_NAME, table.text("bash"), 0, 0, 0]);
  table.send(table.call("read the own id", sys.getpid, []), symbol("dollar_dollar_pid"));
  const call = (step: string, name: string, args: readonly TableWord[]) => callFunction(table, step, name, args);
  for (const name of ["LD_PRELOAD", "BASH_ENV"]) call("forget how it began", "unbind_variable", [table.text(name)]);
  // Looking for the file, the shell has filled BASH_ARGC, which is filled at its first use only.
  call("forget the search", "pop_args", []);
  call("forget the search", "memset", [symbol("bash_argv_initialized"), 0, 4]);
  readBlock(draft, line);
  table.call("mark the line as taken", sys.write, [TAKEN_LINE_FD, table.words(1), 8]);
  table.passOn(nothing, table.call("give the command an empty stdin", sys.dup3, [0, 0, 0]));
  table.call("close what is the first process's", sys.close_range, [3, 0xffff_ffff, 0]);
  hearSignals(draft);
}

/** In the copy: gives it the line, and lets it go on. */
export function runLine({ table }: Draft, line: Room): void {
  const call = (step: string, name: string, args: readonly TableWord[]) => callFunction(table, step, name, args);
  call("take the line", "memcpy", [symbol("command_execution_string"), table.addresses([line]), 8]);
  call("take the line", "bind_variable", [table.text("BASH_EXECUTION_STRING"), line, 0]);
  call("begin random numbers", "seedrand", []);
  call("begin random numbers", "seedrand32", []);
  call("see the time", "gettimeofday", [symbol("shellstart"), 0]);
  call("see the time", "time", [symbol("shell_start_time")]);
  // There is no such file: the shell goes on to its line.
  leave(table, "openat", [AT_FDCWD, table.text(""), 0]);
}

function leave(table: Table, name: string, args: readonly TableWord[]): void {
  table.call("go on in the shell", 0, args, { mode: "leave", name });
}

function symbol(name: string): TableWord {
  return { kind: "symbol", name };
}
