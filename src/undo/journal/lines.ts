/** Records of a journal as lines with a checksum each, so that a line torn by a crash is noticed. Pure. */
import { crc32 } from "node:zlib";
import type { Entry, Kind, State } from "../model/entry.ts";
import type { Change, MovedRef, RecordedOperation } from "../model/change.ts";

/** What a server notes, in order. */
export type JournalRecord =
  /** One path of the tree as the server first saw it. */
  | { readonly kind: "seen"; readonly path: string; readonly entry: Entry }
  /** The first state is complete. `at`: milliseconds since 1970. */
  | { readonly kind: "ready"; readonly at: number; readonly scopes: readonly string[] }
  | { readonly kind: "begin"; readonly at: number; readonly operation: string; readonly title: string }
  /** What changed since the last scan, while these operations ran; none: a person or another program did it. */
  | {
    readonly kind: "changes";
    readonly operations: readonly string[];
    readonly changes: readonly Change[];
    readonly refs: readonly MovedRef[];
  }
  | { readonly kind: "end"; readonly at: number; readonly operation: string }
  /** An operation of an earlier journal. */
  | { readonly kind: "past"; readonly operation: RecordedOperation };

const KINDS: readonly Kind[] = ["file", "directory", "link", "other"];

/** The line of a record, with its end. */
export function lineOf(record: JournalRecord): string {
  const json = JSON.stringify(valueOf(record));
  return `${checksum(json)} ${json}\n`;
}

/** The records of a text, given in pieces, up to the first line that is torn or damaged. */
export function* recordsOf(pieces: Iterable<string> & object): Generator<JournalRecord> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      const space = text.indexOf(" ", at);
      const json = text.slice(space + 1, end);
      if (space < 0 || space > end || checksum(json) !== text.slice(at, space)) return;
      yield recordFrom(JSON.parse(json));
      at = end + 1;
    }
    text = text.slice(at);
  }
}

/** Most changes in one line: more could exceed the longest string. */
const MOST_CHANGES = 1000;

/** Splits a record of many changes into several. */
export function inParts(record: JournalRecord): readonly JournalRecord[] {
  switch (record.kind) {
    case "changes":
      return partsOf(record).map((part) => ({ ...record, ...part }));
    case "past":
      return partsOf(record.operation).map((part) => ({ ...record, operation: { ...record.operation, ...part } }));
    default:
      return [record];
  }
}

function partsOf({ changes, refs }: Pick<RecordedOperation, "changes" | "refs">) {
  const count = Math.max(1, Math.ceil(changes.length / MOST_CHANGES));
  return Array.from({ length: count }, (_, at) => ({
    changes: changes.slice(at * MOST_CHANGES, (at + 1) * MOST_CHANGES),
    refs: at === 0 ? refs : [],
  }));
}

function checksum(json: string): string {
  return crc32(json).toString(16);
}

type EntryValue = readonly [
  kind: number,
  mode: number,
  size: number,
  modified: string,
  changed: string,
  file: string,
  names: number,
  owner: string,
  target: string | 0,
  content: string | 0,
  unkept: string | 0,
];
type RefValue = readonly [repository: string, name: string, before: string | 0, after: string | 0];
type ChangeValue = readonly [path: string, before: EntryValue | 0, after: EntryValue | 0];

/** A record as JSON: `s`een, `r`eady, `b`egin, `c`hanges, `e`nd, `p`ast. Written by this program only, so its types are known. */
type RecordValue =
  | readonly ["s", string, EntryValue]
  | readonly ["r", number, readonly string[]]
  | readonly ["b", number, string, string]
  | readonly ["c", readonly string[], readonly ChangeValue[], readonly RefValue[]]
  | readonly ["e", number, string]
  | readonly ["p", string, number, string, readonly ChangeValue[], readonly RefValue[], readonly string[]];

function valueOf(record: JournalRecord): RecordValue {
  switch (record.kind) {
    case "seen":
      return ["s", record.path, entryValue(record.entry)];
    case "ready":
      return ["r", record.at, record.scopes];
    case "begin":
      return ["b", record.at, record.operation, record.title];
    case "changes":
      return [
        "c",
        record.operations,
        record.changes.map(changeValue),
        record.refs.map(refValue),
      ];
    case "past": {
      const { operation, at, title, changes, refs, shared } = record.operation;
      return ["p", operation, at, title, changes.map(changeValue), refs.map(refValue), shared];
    }
    case "end":
      return ["e", record.at, record.operation];
  }
}

function recordFrom(value: RecordValue): JournalRecord {
  switch (value[0]) {
    case "s":
      return { kind: "seen", path: value[1], entry: entryFrom(value[2]) };
    case "r":
      return { kind: "ready", at: value[1], scopes: value[2] };
    case "b":
      return { kind: "begin", at: value[1], operation: value[2], title: value[3] };
    case "c":
      return {
        kind: "changes",
        operations: value[1],
        changes: value[2].map(changeFrom),
        refs: value[3].map(refFrom),
      };
    case "p": {
      const [, operation, at, title, changes, refs, shared] = value;
      return {
        kind: "past",
        operation: { operation, at, title, changes: changes.map(changeFrom), refs: refs.map(refFrom), shared },
      };
    }
    case "e":
      return { kind: "end", at: value[1], operation: value[2] };
  }
}

function changeValue({ path, before, after }: Change): ChangeValue {
  return [path, stateValue(before), stateValue(after)];
}

function changeFrom([path, before, after]: ChangeValue): Change {
  return { path, before: stateFrom(before), after: stateFrom(after) };
}

function refValue({ repository, name, before, after }: MovedRef): RefValue {
  return [repository, name, before ?? 0, after ?? 0];
}

function refFrom([repository, name, before, after]: RefValue): MovedRef {
  return { repository, name, before: before || undefined, after: after || undefined };
}

function stateValue(state: State): EntryValue | 0 {
  return state === undefined ? 0 : entryValue(state);
}

function stateFrom(value: EntryValue | 0): State {
  return value === 0 ? undefined : entryFrom(value);
}

function entryValue(entry: Entry): EntryValue {
  const { kind, mode, size, modified, changed, file, names, owner, target = 0, content = 0, unkept = 0 } = entry;
  const times = [modified.toString(), changed.toString()] as const;
  return [KINDS.indexOf(kind), mode, size, ...times, file, names, owner, target, content, unkept];
}

function entryFrom(value: EntryValue): Entry {
  const [kind, mode, size, modified, changed, file, names, owner, target, content, unkept] = value;
  return {
    kind: KINDS[kind] ?? "other",
    mode,
    size,
    modified: BigInt(modified),
    changed: BigInt(changed),
    file,
    names,
    owner,
    ...target !== 0 && { target },
    ...content !== 0 && { content },
    ...unkept !== 0 && { unkept },
  };
}
