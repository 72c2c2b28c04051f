import assert from "node:assert/strict";
import type { RecordedOperation } from "../model/change.ts";
import type { Entry } from "../model/entry.ts";
import { keptOperations } from "./places.ts";

const GIB = 1024 ** 3;
const DAY = 86_400_000;
const FILE: Entry = {
  kind: "file",
  mode: 0o644,
  size: 0,
  modified: 0n,
  changed: 0n,
  file: "1:2",
  names: 1,
  owner: "0:0",
};

/** One that removed files of these sizes. */
function operation(name: string, at: number, sizes: readonly number[]): RecordedOperation {
  const changes = sizes.map((size, file) => ({
    path: `/${name}/${file}`,
    before: { ...FILE, size, content: `${name} ${file}` },
    after: undefined,
  }));
  return { operation: name, at, title: name, changes, refs: [], shared: [] };
}

function kept(past: readonly RecordedOperation[], now: number): readonly string[] {
  return keptOperations(past, now).map((one) => one.operation);
}

Deno.test("S39 operations are kept for 7 days and 1 GiB, the last one in any case but its age", () => {
  const [a, b] = [operation("a", 1, [GIB / 2]), operation("b", 2, [GIB / 4, GIB / 8])];
  assert.deepEqual(kept([b, a], 3), ["a", "b"]);
  assert.deepEqual(kept([a, b, operation("c", 3, [GIB / 4])], 4), ["b", "c"]);
  assert.deepEqual(kept([a, b, operation("large", 3, [2 * GIB])], 4), ["large"]);
  assert.deepEqual(kept([a, b], 7 * DAY + 2), ["b"]);
  assert.deepEqual(kept([a, b], 7 * DAY + 3), []);
  // Empty files take blocks of the disk and lines of a journal.
  const many = operation("many", 3, Array.from({ length: 1_000 }, () => 0));
  const before = (mib: number) => kept([operation("before", 1, [GIB - mib * 1024 ** 2]), many], 4);
  assert.deepEqual([before(4), before(6)], [["many"], ["before", "many"]]);
});
