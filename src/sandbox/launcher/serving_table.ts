/**
 * A launcher that serves (P1): it makes a sandbox once and runs one command after the other in it. A command comes on
 * stdin as a block, or the launcher keeps a shell that waits for a line there.
 */
import type { LaunchCommand, SandboxPolicy } from "../policy/policy.ts";
import { type Placement, placementOf, writeTable } from "./image/image.ts";
import { ENTRY_BYTES } from "./image/interpreter.ts";
import {
  confineCommand,
  confinedDraft,
  execute,
  type LaunchTarget,
  resetSignals,
  startProgram,
  type TargetDraft,
  unblockSignals,
} from "./policy_table.ts";
import {
  blockSignals,
  HEAD_BYTES,
  readBlock,
  ROOM_BYTES,
  serveCommands,
  type ServeOptions,
} from "./steps/serve_steps.ts";
import { findLeftovers, openLeftovers, seeMade } from "./steps/leftover_steps.ts";
import { awaitLine, becomeShell, beginServing, findTaken, forgetOutput, makeMark, runLine } from "./fork_steps.ts";
import { buildSharedObject } from "./image/shared_object.ts";
import { INTERPRETERS } from "./image/interpreter_code.ts";
import { findLine, makeInput, passLine, takeInput } from "./steps/shell_steps.ts";
import { AT_FDCWD, O_CLOEXEC, type Processor } from "../../system/syscalls.ts";
import { type DataWord, Table } from "./image/table.ts";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";

/** Whether consecutive commands may share a sandbox: all that one could leave is detected or denied. */
export function canServe({ namespaces, sharedIpc, confinement }: SandboxPolicy): boolean {
  const { filter, unixSockets, network, ownNetwork } = confinement;
  // A private loopback keeps ports and connections for a while after their processes.
  return namespaces && sharedIpc !== true && filter && unixSockets !== "allow" &&
    !(ownNetwork && network === "localhost");
}

/** A table with room for blocks. */
export interface ServingTable {
  readonly table: Table;
  readonly processor: Processor;
  /** Addresses of the buffer, and of the environment of a command that sets no variables. */
  readonly room: number;
  readonly environment: number;
}

/** The table of a launcher that runs blocks. `environment`: of commands without variables of their own. */
export function servingTable(
  policy: SandboxPolicy,
  target: LaunchTarget,
  environment: readonly string[],
): ServingTable {
  const { draft, findAll } = servingDraft(policy, target);
  const { room, variables } = serveBlocks(draft, { environment, findLeftovers: findAll, landlock: true });
  const { data } = placementOf(draft.table);
  return {
    table: draft.table,
    processor: target.processor,
    room: data(room.offset),
    environment: data(variables.offset),
  };
}

/** The table of a launcher that keeps a shell waiting: `shell` reads a line from its stdin and runs it with an empty one. */
export function servingShellTable(policy: SandboxPolicy, target: LaunchTarget, shell: LaunchCommand): Table {
  const { draft, findAll } = servingDraft(policy, target);
  const { table } = draft;
  const { processor } = target;
  const room = table.bytes(new Uint8Array(ROOM_BYTES));
  serveCommands(draft, {
    prepare: makeInput,
    runCommand: () => {
      takeInput(draft);
      confineCommand(draft, { landlock: true });
      execute(table, shell, processor);
    },
    handOver: (serve) => passLine(serve, room),
    findLeftovers: (serve, dirty) => {
      findLine(serve);
      findAll(serve, dirty);
    },
  });
  return table;
}

/** A table whose first process becomes a shell that serves lines. `steps`: with those of the table inside the shell. */
export interface ForkingTable {
  readonly table: Table;
  readonly steps: readonly string[];
}

/** The table of a shell that forks for each line. `shell`: its argv ends where the line comes. */
export function forkingShellTable(policy: SandboxPolicy, target: LaunchTarget, shell: LaunchCommand): ForkingTable {
  const { processor } = target;
  const draft = confinedDraft(policy, { ...target, reportsToOutput: true }, {
    onBegun: () => {},
    onMounted: (mounted) => openLeftovers(mounted, { policy }),
  });
  resetSignals(draft);
  unblockSignals(draft);
  const inside = { ...draft, table: new Table() };
  const room = inside.table.bytes(new Uint8Array(ROOM_BYTES));
  beginServing(inside);
  const made = seeMade(inside);
  serveCommands(inside, {
    beginCopies: makeMark,
    prepare: forgetOutput,
    runCommand: (copy) => {
      awaitLine(copy, room);
      runLine(copy, room);
    },
    findLeftovers: (serve, dirty) => {
      findTaken(serve);
      findLeftovers(serve, dirty, { policy, processor, made });
    },
  });
  const { table } = draft;
  const before = { ...draft, table: table.continued() };
  becomeShell(before, { shell, part: new Uint8Array(0) }, processor);
  const part = buildSharedObject(inside.table, INTERPRETERS[processor], before.table.steps.length);
  becomeShell(draft, { shell, part }, processor);
  return { table, steps: [...table.steps, ...inside.table.steps] };
}

/** `findAll`: jumps to a place if anything of a command is left. */
interface ServingDraft {
  readonly draft: TargetDraft;
  readonly findAll: ServeOptions["findLeftovers"];
}

function servingDraft(policy: SandboxPolicy, target: LaunchTarget): ServingDraft {
  const draft = confinedDraft(policy, { ...target, reportsToOutput: true }, {
    onBegun: blockSignals,
    onMounted: (mounted) => openLeftovers(mounted, { policy }),
  });
  resetSignals(draft);
  const { processor } = target;
  const made = seeMade(draft);
  return { draft, findAll: (serve, dirty) => findLeftovers(serve, dirty, { policy, processor, made }) };
}

/** How blocks are served. `landlock`: there is a ruleset to enforce. */
export interface BlockOptions {
  readonly findLeftovers: ServeOptions["findLeftovers"];
  readonly environment: readonly string[];
  readonly landlock: boolean;
}

/** Where a block is read to, and where the variables are that it can name. */
export interface BlockPlaces {
  readonly room: DataWord;
  readonly variables: DataWord;
}

/** Adds the steps that read a block and run it. */
export function serveBlocks(draft: TargetDraft, { environment, findLeftovers, landlock }: BlockOptions): BlockPlaces {
  const { table, sys } = draft;
  const room = table.bytes(new Uint8Array(ROOM_BYTES));
  const variables = table.vector(environment);
  serveCommands(draft, {
    prepare: () => readBlock(draft, room),
    runCommand: () => {
      const nothing = table.call("open an empty stdin", sys.openat, [AT_FDCWD, table.text("/dev/null"), O_CLOEXEC, 0]);
      table.passOn(nothing, table.call("give the command an empty stdin", sys.dup3, [0, 0, 0]));
      confineCommand(draft, { landlock });
      table.call("go on in the block", 0, [room, room, 0, 1], { mode: "jump" });
    },
    findLeftovers,
  });
  return { room, variables };
}

/** What a serving launcher is sent. */
export interface ServedBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Names of its steps, which come after those of the table. */
  readonly steps: readonly string[];
}

/** A command; `environment` undefined: that of the table. */
export type ServedCommand = Omit<LaunchCommand, "environment" | "reports"> & {
  readonly environment: readonly string[] | undefined;
};

/** What makes a serving launcher run `command`; undefined: it does not fit, and must be launched separately. */
export function servedBlock(serving: ServingTable, command: ServedCommand): ServedBlock | undefined {
  const { table: { steps: { length: firstStep } }, room, processor } = serving;
  const table = new Table();
  const environment = command.environment === undefined ? serving.environment : table.vector(command.environment);
  startProgram(table, command, { environment, processor });
  const dataAt = table.entries.length * ENTRY_BYTES;
  const size = dataAt + table.data().length;
  if (size > ROOM_BYTES) return undefined;
  const bytes = withHead(size);
  const place: Placement = {
    entry: (index) => room + index * ENTRY_BYTES,
    data: (offset) => room + dataAt + offset,
  };
  writeTable(bytes, table, { entriesAt: HEAD_BYTES, dataAt: HEAD_BYTES + dataAt, firstStep, place });
  return { bytes, steps: table.steps };
}

/** What makes a serving launcher pass a line on to its shell, which reads up to the line's end; undefined: there is no room. */
export function servedLine(line: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (line.length > ROOM_BYTES) return undefined;
  const bytes = withHead(line.length);
  bytes.set(line, HEAD_BYTES);
  return bytes;
}

function withHead(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD_BYTES + size);
  const head = new DataView(bytes.buffer);
  for (let at = 0; at < HEAD_BYTES; at += 8) head.setUint32(at, size, LITTLE_ENDIAN);
  return bytes;
}
