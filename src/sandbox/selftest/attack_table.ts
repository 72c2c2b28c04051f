/**
 * The self-test as launcher tables: one process makes the system calls of all attacks behind the session's own policy,
 * another the same ones without a policy, which is the positive control and the world outside for the first.
 */
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import {
  AF_UNIX,
  AT_FDCWD,
  O_CREAT,
  O_EXCL,
  O_WRONLY,
  OPEN_FLAGS,
  type Processor,
  SOCK_STREAM,
  SYSTEM_CALLS,
} from "../../system/syscalls.ts";
import type { Table } from "../launcher/image/table.ts";
import { type AttackDraft, type AttackPlace, attempt } from "./attack.ts";
import { ATTACKS, socketAddress } from "./attacks.ts";

/** Size of every target file in bytes. */
export const TARGET_BYTES = 7;

const BACKLOG = 16;
const NO_DESCRIPTOR = -1;
const STDIN = 0;
const STDOUT = 1;
/** Stands where a result comes when the call succeeds; no call gives it. */
const FAILED = 0xffff_ffff;
const RESULT_BYTES = 8;

/** What one run says of each attack, in the order of `ATTACKS`: whether its system call succeeded. */
export type AttackResults = readonly boolean[];

/** Bytes a run writes to its output. */
export const RESULTS_BYTES = ATTACKS.length * RESULT_BYTES;

/** Decodes what a run wrote. @throws {RangeError} When it wrote another number of bytes. */
export function readResults(bytes: Uint8Array): AttackResults {
  if (bytes.length !== RESULTS_BYTES) {
    throw new RangeError(`Expected ${RESULTS_BYTES} bytes of results, got ${bytes.length}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return ATTACKS.map((_, index) => view.getUint32(index * RESULT_BYTES, LITTLE_ENDIAN) !== FAILED);
}

/** `table`, the session's policy, then the attacks; the process ends after them. */
export function attackTable(table: Table, place: AttackPlace, processor: Processor): Table {
  const draft = begin(table, place, processor);
  // The matching allowance: what cannot write inside either proves nothing by its denials.
  draft.table.call(`make a directory in "${place.inside}"`, draft.sys.mkdirat, mkdirArguments(draft, place.inside));
  writeResults(draft);
  draft.table.call("end", draft.sys.exit_group, [0]);
  return draft.table;
}

/**
 * `table`, the process hygiene without a policy, then the targets of both runs, sockets that listen, and the attacks.
 * The process stays until its stdin ends.
 */
export function controlTable(
  table: Table,
  { control, attacked }: { readonly control: AttackPlace; readonly attacked: AttackPlace },
  processor: Processor,
): Table {
  const draft = begin(table, control, processor);
  for (const place of [control, attacked]) makeTargets(draft, place.outside);
  draft.table.call("make a directory", draft.sys.mkdirat, mkdirArguments(draft, control.inside));
  listen(draft, `\0${control.abstractSocket}`);
  listen(draft, control.pathSocket);
  writeResults(draft);
  const byte = draft.table.words(0);
  draft.table.call("wait for the end", draft.sys.read, [STDIN, byte, 1]);
  draft.table.call("end", draft.sys.exit_group, [0]);
  return draft.table;
}

function begin(table: Table, place: AttackPlace, processor: Processor): Omit<AttackDraft, "target"> {
  const draft = { table: table.continued(), sys: SYSTEM_CALLS[processor], open: OPEN_FLAGS[processor], place };
  // The server's own may take rights even from the owner, and then nothing would be possible.
  draft.table.call("set the mask of modes", draft.sys.umask, [0o077]);
  return draft;
}

type Draft = ReturnType<typeof begin>;

function mkdirArguments({ table }: Draft, path: string) {
  return [AT_FDCWD, table.text(path), 0o700] as const;
}

function makeTargets(draft: Draft, directory: string): void {
  const { table, sys } = draft;
  table.call(`make "${directory}"`, sys.mkdirat, mkdirArguments(draft, directory));
  for (const { id, target } of ATTACKS) {
    const path = `${directory}/${id}`;
    if (target === "directory") table.call(`make "${path}"`, sys.mkdirat, mkdirArguments(draft, path));
    if (target !== "file") continue;
    const flags = O_WRONLY | O_CREAT | O_EXCL;
    const file = table.call(`make "${path}"`, sys.openat, [AT_FDCWD, table.text(path), flags, 0o600]);
    const closed = table.call(`close "${path}"`, sys.close, [NO_DESCRIPTOR]);
    draft.table.passOn(file, closed);
    table.call(`fill "${path}"`, sys.truncate, [table.text(path), TARGET_BYTES]);
  }
}

function listen(draft: Draft, name: string): void {
  const address = socketAddress(name);
  const { sys, table } = draft;
  // A result goes to one place only, so the descriptor is moved to a number that both calls know.
  const socket = attempt(draft, sys.socket, [AF_UNIX, SOCK_STREAM, 0]);
  const kept = attempt(draft, sys.dup3, [NO_DESCRIPTOR, LISTENER_FD, 0]);
  draft.table.passOn(socket, kept);
  attempt(draft, sys.bind, [LISTENER_FD, table.bytes(address), address.length]);
  attempt(draft, sys.listen, [LISTENER_FD, BACKLOG]);
  // The number is used again; the first descriptor, which is never closed, keeps it listening.
}

/** Below those of the launcher (steps.ts). */
const LISTENER_FD = 60;

function writeResults(draft: Draft): void {
  const { table, sys, place } = draft;
  const results = table.words(...ATTACKS.map(() => FAILED));
  ATTACKS.forEach((attack, index) => {
    const last = attack.add({ ...draft, target: `${place.outside}/${attack.id}` });
    table.send(last, { kind: "data", offset: results.offset + index * RESULT_BYTES });
  });
  table.call("tell the results", sys.write, [STDOUT, results, RESULTS_BYTES], {
    mode: "equals",
    expect: RESULTS_BYTES,
  });
}
