/** The directories of one project's store, and what is removed when it is old or too large. */
import { attempt } from "../../base/errors.ts";
import type { Index, RecordedOperation } from "../model/change.ts";
import type { State } from "../model/entry.ts";

/** Milliseconds: 7 days. */
const KEPT_MS = 7 * 86_400_000;
/** Of contents that only the past needs, bytes: 1 GiB. */
export const MOST_PAST_BYTES = 1024 ** 3;
/** A content takes at least one disk block. */
const BLOCK_BYTES = 4096;
/** Of the line of a change. */
const LINE_BYTES = 1024;
/** A younger object may be of a server that has not written its journal yet, milliseconds. */
const YOUNG_MS = 3_600_000;

export interface StorePlaces {
  readonly objects: string;
  readonly journals: string;
}

/** Creates missing directories. @throws {Error} When they cannot be made. */
export function makePlaces(store: string): StorePlaces {
  const places = { objects: `${store}/objects`, journals: `${store}/journals` };
  for (const path of Object.values(places)) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  return places;
}

/** The operations that are kept, the last in any case, the oldest first; `now`: milliseconds since 1970. Pure. */
export function keptOperations(past: readonly RecordedOperation[], now: number): readonly RecordedOperation[] {
  const kept: RecordedOperation[] = [];
  const counted = new Set<string>();
  let bytes = 0;
  for (const one of past.toSorted((first, second) => second.at - first.at)) {
    bytes += one.changes.length * LINE_BYTES;
    for (const { before, after } of one.changes) {
      for (const state of [before, after]) {
        if (state?.content === undefined || counted.has(state.content)) continue;
        counted.add(state.content);
        bytes += Math.max(state.size, BLOCK_BYTES);
      }
    }
    if (now - one.at > KEPT_MS || bytes > MOST_PAST_BYTES && kept.length > 0) break;
    kept.push(one);
  }
  return kept.toReversed();
}

/** Removes contents that nothing needs. */
export function removeUnneeded(
  { objects }: StorePlaces,
  needed: readonly { readonly index: Index; readonly operations: readonly RecordedOperation[] }[],
  { now, isOwn }: {
    readonly now: number;
    /** Whether only this process ever needed a content; `modified`: its last use, milliseconds since 1970. */
    readonly isOwn: (content: string, modified: number) => boolean;
  },
): void {
  const used = new Set<string>();
  const use = (state: State) => void (state?.content !== undefined && used.add(state.content));
  for (const { index, operations } of needed) {
    for (const entry of index.values()) use(entry);
    for (const { changes } of operations) for (const { before, after } of changes) [before, after].forEach(use);
  }
  for (const { name } of Deno.readDirSync(objects)) {
    if (used.has(name)) continue;
    const path = `${objects}/${name}`;
    const modified = attempt(Deno.errors.NotFound, () => Deno.lstatSync(path))?.mtime?.getTime();
    if (modified === undefined || now - modified <= YOUNG_MS && !isOwn(name, modified)) continue;
    attempt(Deno.errors.NotFound, () => Deno.removeSync(path));
  }
}
