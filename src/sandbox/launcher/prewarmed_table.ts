/**
 * A launcher that waits (P1): every step of the policy that binds the first process is done, and it reads what to run
 * from its stdin, into the place in its own table that comes next. What follows in the pipe is the command's stdin.
 */
import type { LaunchCommand, SandboxPolicy } from "../policy/policy.ts";
import { type Placement, placementOf, writeTable } from "./image/image.ts";
import { ENTRY_BYTES, REPORT_FD, TAKEN_REPORT } from "./image/interpreter.ts";
import { execute, type LaunchTarget, policyTable } from "./policy_table.ts";
import { AT_FDCWD, O_CLOEXEC, type Processor, SYSTEM_CALLS } from "../../system/syscalls.ts";
import { Table } from "./image/table.ts";

/** Room for a command: a search path of some forty places, and some hundred variables and arguments. */
const ROOM_ENTRIES = 48;
const ROOM_BYTES = 16 * 1024;
/** Together with the empty pipe's size (pipe(7)) this makes one write come as a whole. */
const BLOCK_BYTES = ROOM_ENTRIES * ENTRY_BYTES + ROOM_BYTES;

/** A table with room for a command. */
export interface WaitingTable {
  readonly table: Table;
  /** Where the command's part will be. */
  readonly room: Placement;
  readonly processor: Processor;
}

/** What a waiting launcher is sent. */
export interface CommandBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Names of its steps, which come after those of the table. */
  readonly steps: readonly string[];
}

/** The table of a launcher that waits; undefined: `--no-sandbox`. */
export function waitingTable(policy: SandboxPolicy | undefined, target: LaunchTarget): WaitingTable {
  const { processor } = target;
  let reading = 0;
  let data = 0;
  const table = policyTable(policy, target, (draft) => {
    const room = draft.bytes(new Uint8Array(ROOM_BYTES));
    data = room.offset;
    const read = (to: 0 | typeof room, size: number) =>
      draft.call("wait for a command", SYSTEM_CALLS[processor].read, [0, to, size], { mode: "equals", expect: size });
    reading = read(0, ROOM_ENTRIES * ENTRY_BYTES);
    read(room, ROOM_BYTES);
  });
  const first = table.reserve(ROOM_ENTRIES);
  table.aim(reading, 1, { kind: "entry", entry: first });
  const { entry, data: dataAt } = placementOf(table);
  const room = { entry: (index: number) => entry(first + index), data: (offset: number) => dataAt(data + offset) };
  return { table, room, processor };
}

/**
 * What makes a waiting launcher run `command`; undefined: it does not fit, and must be launched separately. `hasStdin`:
 * the rest of the pipe is the command's stdin; otherwise that is empty.
 */
export function commandBlock(
  { table: waiting, room, processor }: WaitingTable,
  command: LaunchCommand,
  { hasStdin }: { readonly hasStdin: boolean },
): CommandBlock | undefined {
  const sys = SYSTEM_CALLS[processor];
  const table = new Table();
  table.call("report that the command is taken", sys.write, [REPORT_FD, table.text(TAKEN_REPORT), ENTRY_BYTES]);
  if (!hasStdin) {
    const opened = table.call("open an empty stdin", sys.openat, [AT_FDCWD, table.text("/dev/null"), O_CLOEXEC, 0]);
    const moved = table.call("give the command an empty stdin", sys.dup3, [0, 0, 0]);
    table.passOn(opened, moved);
  }
  execute(table, command, processor);
  if (table.entries.length > ROOM_ENTRIES || table.data().length > ROOM_BYTES) return undefined;
  const bytes = new Uint8Array(BLOCK_BYTES);
  const dataAt = ROOM_ENTRIES * ENTRY_BYTES;
  writeTable(bytes, table, { entriesAt: 0, dataAt, firstStep: waiting.steps.length, place: room });
  return { bytes, steps: table.steps };
}
