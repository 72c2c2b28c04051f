import assert from "node:assert/strict";
import type { Change } from "../../undo/model/change.ts";
import type { Entry } from "../../undo/model/entry.ts";
import { folded } from "./texts.ts";

function entry(kind: Entry["kind"], more: Partial<Entry> = {}): Entry {
  const facts = { mode: 0o644, size: 0, modified: 0n, changed: 0n, file: "1:1", names: 1, owner: "0:0" };
  return { kind, ...facts, ...more };
}

Deno.test("S39 folded() names a directory that went or came for all in it, and always what is not kept", () => {
  const [file, directory] = [entry("file"), entry("directory")];
  const gone = (path: string, before: Entry): Change => ({ path, before, after: undefined });
  const changes = [
    gone("/p/a", directory),
    gone("/p/a-b", file),
    gone("/p/a/b", directory),
    gone("/p/a/b/c", file),
    gone("/p/a/big", entry("file", { unkept: "it is larger than 4 GiB" })),
    { path: "/p/m", before: entry("directory", { mode: 0o755 }), after: directory },
    gone("/p/m/x", file),
    { path: "/p/n", before: undefined, after: directory },
    { path: "/p/n/y", before: undefined, after: file },
  ];
  const lines = folded(changes).map(({ change: { path }, below }) => `${path} ${below}`);
  assert.deepStrictEqual(lines, ["/p/a 2", "/p/a-b 0", "/p/a/big 0", "/p/m 0", "/p/m/x 0", "/p/n 1"]);
});
