/** A block comes on stdin: a head with the number of bytes that follow, once for each call that wants it, and the bytes. */
import type { DataWord } from "../image/table.ts";
import type { Draft } from "./identity_steps.ts";

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
