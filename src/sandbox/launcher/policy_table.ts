/**
 * Policy and command become the launcher's table, in the kernel's order (namespaces(7), landlock(7)): reports, parent
 * death, namespaces, mounts; limits, Landlock's rules, capabilities and filter in the first process too; in its child
 * signals, Landlock, descriptors, directory, exec. A fatal step ends in exit 126.
 */
import type { LaunchCommand, SandboxPolicy } from "../policy/policy.ts";
import { dropCapabilities, limitCapabilities } from "./steps/capabilities.ts";
import { REPORT_FD, TAKEN_FD } from "./image/interpreter.ts";
import { forkIntoGroup, groupOf, type GroupWay, takeGroup } from "./group_steps.ts";
import { enforceRuleset, makeRuleset } from "./landlock_rules.ts";
import { type Draft, writeText } from "./steps/identity_steps.ts";
import { limitResources, writeLimits } from "./steps/limit_steps.ts";
import { makeNamedNetwork, type NamedNetworkPlan } from "./steps/named_network_steps.ts";
import { enterNetwork, joinNetwork, makeSockets, raiseLoopback, type SharedNetwork } from "./steps/network_steps.ts";
import { filterCalls } from "./steps/seccomp_steps.ts";
import { leaveMachineRoot, mountTerminals } from "./steps/root_steps.ts";
import {
  closeProc,
  comparePreviewed,
  guardPaths,
  mountProc,
  mountReadOnly,
  mountSharedMemory,
} from "./steps/mount_steps.ts";
import {
  AT_FDCWD,
  CHILD_UNTIL_EXEC,
  CLONE_NEWNET,
  CLONE_NEWNS,
  CLONE_NEWUSER,
  O_CLOEXEC,
  O_WRONLY,
  OPEN_FLAGS,
  type Processor,
  SIGCHLD,
  SYSTEM_CALLS,
} from "../../system/syscalls.ts";
import { giveTerminal } from "./steps/terminal_steps.ts";
import type { TerminalSize } from "../../system/terminal/terminal.ts";
import { Table, type TableWord } from "./image/table.ts";

const O_APPEND = 0x400;
const CLOSE_RANGE_CLOEXEC = 4;
const CLONE_NEWIPC = 0x8000000;
const CLONE_NEWPID = 0x20000000;
const SIGKILL = 9;
const SIGSTOP = 19;
/** _NSIG: the runtime leaves the first two of the real-time signals ignored. */
const LAST_SIGNAL = 64;
const PR_SET_PDEATHSIG = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const PR_SET_NO_NEW_PRIVS = 38;

/** The step by name, for callers that continue with fewer, or without it. */
export const NAMESPACES_STEP = "enter new namespaces";

/** The machine a table is for. */
export interface LaunchTarget {
  readonly processor: Processor;
  /** The process that spawns the launcher: when it is gone, the launcher stops. */
  readonly serverPid: number;
  /** An existing file that the command's stderr is appended to; absent: stderr goes where stdout goes (X7). */
  readonly stderrFile?: string;
  /** Absent: a command with a private network makes it itself. */
  readonly sharedNetwork?: SharedNetwork | undefined;
  /** The tree of the command stands in the control group in whose directory the launcher is started; absent: in the server's. */
  readonly entersGroup?: true;
  /** The launcher reports on stdout, among the frames of the output (image/interpreter.ts); absent: on stderr. */
  readonly reportsToOutput?: true;
}

export interface TargetDraft extends Draft {
  readonly target: LaunchTarget;
  /** How the tree comes into a group of its own; absent: it has none. */
  readonly group?: GroupWay | undefined;
}

/** Adds steps of the first process, when all that binds it is done, right before it starts the command's. */
export type BeforeCommand = (table: Table) => void;

/** The part of the table for every command of a session, up to the exec; without a policy only process hygiene. */
export function policyTable(
  policy: SandboxPolicy | undefined,
  target: LaunchTarget,
  beforeCommand: BeforeCommand = () => {},
): Table {
  const draft = begin(target, groupOf(policy, target));
  const { table, sys } = draft;
  if (policy?.namespaces === true) {
    enterNamespaces(draft, policy);
    beforeCommand(table);
    // The waiting first process: the command is never PID 1, and nothing of it outlives this one.
    table.call("start the command's process", sys.clone, [CHILD_UNTIL_EXEC, 0, 0, 0, 0], { mode: "forkAll" });
  } else becomeSubreaper(draft, policy, beforeCommand);
  resetSignals(draft);
  unblockSignals(draft);
  confineCommand(draft, { landlock: policy !== undefined });
  return table;
}

/** Adds steps: when nothing is done yet, and when the mounts are made and the capabilities are still there. */
export interface StepsBetween {
  readonly onBegun: (draft: Draft) => void;
  readonly onMounted: (draft: Draft) => void;
}

/** The draft of a first process that stands inside the namespaces, with all done that binds it too. */
export function confinedDraft(
  policy: SandboxPolicy,
  target: LaunchTarget,
  { onBegun, onMounted }: StepsBetween,
): TargetDraft {
  const draft = begin(target, groupOf(policy, target));
  onBegun(draft);
  enterNamespaces(draft, policy, onMounted);
  return draft;
}

/** Adds what binds the command alone. `landlock`: the first process holds a ruleset. */
export function confineCommand(draft: Draft, { landlock }: { readonly landlock: boolean }): void {
  if (landlock) enforceRuleset(draft);
  const { table, sys } = draft;
  table.call("close inherited descriptors", sys.close_range, [3, 0xffffffff, CLOSE_RANGE_CLOEXEC]);
}

/** The whole table of one command: the policy's, then a terminal where it gets one, working directory and exec. */
export function launchTable(
  policy: Table,
  command: LaunchCommand,
  processor: Processor,
  terminal?: { readonly size: TerminalSize; readonly isOwn: boolean },
): Table {
  const table = policy.continued();
  if (terminal !== undefined) giveTerminal(table, { ...terminal, processor });
  execute(table, command, processor);
  return table;
}

/** A table that takes every step of the policy and exits 0: asks the kernel by doing (S2). */
export function trialTable(policy: SandboxPolicy, target: LaunchTarget): Table {
  const table = policyTable(policy, target);
  table.call("end", SYSTEM_CALLS[target.processor].exit_group, [0]);
  return table;
}

/** A table whose child stands in a control group, and ends: asks the kernel by doing. */
export function groupTable(target: LaunchTarget): Table {
  const draft = begin(target, "born");
  forkIntoGroup(draft, "fork");
  draft.table.call("end", draft.sys.exit_group, [0]);
  return draft.table;
}

/**
 * A table that makes the network that commands share: an empty one, a loopback, or, with a plan, one by name. Its
 * namespaces can be opened at /proc while it waits (`handOver`), and a process that has opened them keeps them.
 */
export function networkTable(policy: SandboxPolicy, target: LaunchTarget, plan?: NamedNetworkPlan): Table {
  const draft = begin(target);
  const { table, sys } = draft;
  const ordinary = policy.user.uid !== 0;
  table.call("make a network", sys.unshare, [(ordinary ? CLONE_NEWUSER : 0) | CLONE_NEWNET]);
  if (ordinary) mapUser(draft, policy.user);
  if (plan !== undefined) makeNamedNetwork(draft, plan);
  else if (policy.confinement.network === "localhost") raiseLoopback(draft);
  return handOver(draft);
}

/** A table that makes sockets in a network, and waits until they are taken over. */
export function socketsTable(network: SharedNetwork, target: LaunchTarget, family: 4 | 6): Table {
  const draft = begin(target);
  joinNetwork(draft, network);
  makeSockets(draft, family);
  return handOver(draft);
}

/** Says on stdout with a byte that all is there, and stays until stdin is closed. */
function handOver({ table, sys }: Draft): Table {
  table.call("say that it is there", sys.write, [1, table.text("."), 1], { mode: "equals", expect: 1 });
  table.call("wait for the end of stdin", sys.read, [0, table.words(0), 1], { mode: "equals", expect: 0 });
  table.call("end", sys.exit_group, [0]);
  return table;
}

/** Every table begins alike: reports and the server's death come before all else. */
function begin(target: LaunchTarget, group?: GroupWay): TargetDraft {
  const { processor } = target;
  const draft = { table: new Table(), sys: SYSTEM_CALLS[processor], open: OPEN_FLAGS[processor], target, group };
  openReport(draft);
  takeGroup(draft, group);
  dieWithServer(draft);
  return draft;
}

/** stderr of the spawn is the private report pipe; the command's stderr is its stdout (X7), or a file. */
function openReport({ table, sys, target }: TargetDraft): void {
  table.call("keep the report descriptor", sys.dup3, [target.reportsToOutput === true ? 1 : 2, REPORT_FD, O_CLOEXEC]);
  table.call("close what the server was started with", sys.close_range, [REPORT_FD + 1, 0xffffffff, 0]);
  if (target.stderrFile === undefined) {
    table.call("join stderr to stdout", sys.dup3, [1, 2, 0]);
    return;
  }
  const flags = O_WRONLY | O_APPEND | O_CLOEXEC;
  const file = table.call("open the file for stderr", sys.openat, [AT_FDCWD, table.text(target.stderrFile), flags, 0]);
  const moved = table.call("send stderr to its file", sys.dup3, [0, 2, 0]);
  table.passOn(file, moved);
}

function dieWithServer({ table, sys, target }: TargetDraft): void {
  table.call("ask to die with the server", sys.prctl, [PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0]);
  table.call("see that the server still lives", sys.getppid, [], { mode: "equals", expect: target.serverPid });
  table.call("leave the server's session", sys.setsid, []);
}

/** The child of a fork asks to die with its parent, and makes sure the parent did not die before it asked. */
function forkAndGuard(draft: TargetDraft, mode: "fork" | "forkAll", guard: TableWord): void {
  const { table, sys } = draft;
  const flags = mode === "fork" ? SIGCHLD : CHILD_UNTIL_EXEC;
  if (draft.group === "born") forkIntoGroup(draft, mode);
  else table.call("start the process tree", sys.clone, [flags, 0, 0, 0, 0], { mode });
  table.call("ask to die with the launcher", sys.prctl, [PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0]);
  table.call("see that the launcher still lives", sys.ppoll, [guard, 1, table.words(0, 0), 0, 8], {
    mode: "equals",
    expect: 0,
  });
}

/** A `struct pollfd` on a pidfd of this very process, for its children to look at. */
function ownPidfd({ table, sys }: Draft): TableWord {
  const pollfd = table.words(0x1_0000_0000n); // fd 0 for now, events POLLIN
  const pid = table.call("read the own process id", sys.getpid, []);
  const pidfd = table.call("open a pidfd", sys.pidfd_open, [0, 0]);
  table.passOn(pid, pidfd);
  table.send(pidfd, pollfd);
  return pollfd;
}

function enterNamespaces(
  draft: TargetDraft,
  policy: SandboxPolicy,
  onMounted: (draft: Draft) => void = () => {},
): void {
  const { table, sys } = draft;
  const ordinary = policy.user.uid !== 0;
  const { network } = policy.confinement;
  const sharedNetwork = draft.target.sharedNetwork?.kind === network ? draft.target.sharedNetwork : undefined;
  if (sharedNetwork !== undefined) joinNetwork(draft, sharedNetwork);
  const ownIpc = policy.sharedIpc === true ? 0 : CLONE_NEWIPC;
  const flags = (ordinary ? CLONE_NEWUSER : 0) | CLONE_NEWNS | CLONE_NEWPID | ownIpc;
  table.call(NAMESPACES_STEP, sys.unshare, [flags]);
  if (ordinary) mapUser(draft, policy.user);
  if (sharedNetwork === undefined) enterNetwork(draft, policy.confinement);
  comparePreviewed(draft, policy);
  mountReadOnly(draft, policy);
  guardPaths(draft, policy);
  if (policy.sharedMemory === true) mountSharedMemory(draft, policy.confinement.limits.memory);
  if (policy.terminals === true) mountTerminals(draft);
  const guard = ownPidfd(draft);
  forkAndGuard(draft, "fork", guard);
  table.call("lead a process group", sys.setsid, []);
  mountProc(draft, { hideKernelFiles: !ordinary });
  if (policy.root !== undefined) leaveMachineRoot(draft);
  writeLimits(draft, policy);
  if (!ordinary) closeProc(draft);
  onMounted(draft);
  restrict(draft, policy);
}

/** An own user namespace in which the user is who it was outside. */
function mapUser(draft: Draft, { uid, gid }: SandboxPolicy["user"]): void {
  const texts = { setgroups: "deny", uid_map: `${uid} ${uid} 1`, gid_map: `${gid} ${gid} 1` };
  for (const [name, text] of Object.entries(texts)) {
    const path = `/proc/self/${name}`;
    writeText(draft, `write "${path}"`, { path, text, mode: "fatal" });
  }
  // A map file still open for writing makes mount_setattr fail with EBUSY.
  draft.table.call("close the maps of the user", draft.sys.close_range, [3, REPORT_FD - 1, 0]);
}

/** Without namespaces the launcher adopts every orphan of the command and stays until none is left. */
function becomeSubreaper(draft: TargetDraft, policy: SandboxPolicy | undefined, beforeCommand: BeforeCommand): void {
  const { table, sys } = draft;
  const guard = ownPidfd(draft);
  table.call("adopt orphans", sys.prctl, [PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0]);
  if (policy !== undefined) restrict(draft, policy);
  beforeCommand(table);
  forkAndGuard(draft, "forkAll", guard);
  table.call("lead a process group", sys.setsid, []);
}

/** Ignored signals survive exec (Deno ignores SIGPIPE). */
export function resetSignals({ table, sys }: Draft): void {
  const defaults = table.words(0, 0, 0, 0);
  for (let signal = 1; signal <= LAST_SIGNAL; signal++) {
    if (signal === SIGKILL || signal === SIGSTOP) continue;
    table.call("reset signals", sys.rt_sigaction, [signal, defaults, 0, 8]);
  }
}

/** The mask survives exec too. */
export function unblockSignals({ table, sys }: Draft): void {
  table.call("unblock signals", sys.rt_sigprocmask, [2, table.words(0), 0, 8]);
}

/**
 * All that binds the waiting first process as well as the command, its child. Landlock binds the child alone, which so
 * is in its own Landlock domain and reaches neither memory nor reports of the first process.
 */
function restrict(draft: TargetDraft, policy: SandboxPolicy): void {
  const { table, sys } = draft;
  limitResources(draft, policy);
  makeRuleset(draft, policy);
  limitCapabilities(draft, policy.keptCapabilities);
  table.call("set no_new_privs", sys.prctl, [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0]);
  dropCapabilities(draft, policy.keptCapabilities);
  filterCalls(draft, policy, draft.target.processor);
}

/** Adds the last steps: working directory and exec. */
export function execute(table: Table, command: LaunchCommand, processor: Processor): void {
  startProgram(table, command, { environment: table.vector(command.environment), processor });
}

/** Adds the last steps with an environment that stands somewhere else. */
export function startProgram(
  table: Table,
  command: Omit<LaunchCommand, "environment">,
  { environment, processor }: { readonly environment: TableWord; readonly processor: Processor },
): void {
  const sys = SYSTEM_CALLS[processor];
  table.call(`enter "${command.directory}"`, sys.chdir, [table.text(command.directory)]);
  if (command.reports === true) table.call("hand on the report descriptor", sys.dup3, [REPORT_FD, TAKEN_FD, 0]);
  const argv = table.vector(command.argv);
  command.programs.forEach((program, index) => {
    const last = index === command.programs.length - 1;
    const mode = last ? "fatal" : "soft";
    table.call(`start "${command.argv[0] ?? program}"`, sys.execve, [table.text(program), argv, environment], { mode });
  });
}
