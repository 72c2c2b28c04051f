import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import assert from "node:assert/strict";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import { fingerprintOf, OwnChanges } from "../../../sandbox/protect/path_snapshot.ts";
import { SecondNames } from "./hard_links.ts";

const TREE = { path: "/t", device: 1n, inode: 2n };
const FACTS = {
  device: 1n,
  inode: 3n,
  kind: "file",
  mode: 0o644,
  links: 2,
  uid: 0,
  gid: 0,
  size: 0n,
  changedAt: 0n,
} as const;

function view(seen: Readonly<Record<string, string>>): GuardView {
  return {
    guarded: [],
    key: "",
    mounts: "",
    seen: new Map(Object.entries(seen)),
    shared: [],
    exposed: [],
    unreadable: [],
    behind: { everything: [], absent: [], identity: [] },
    overfull: [],
  };
}

Deno.test("S21 SecondNames.separate() tells of a file that stays shared once, and tries it a few times", () => {
  const tried: string[] = [];
  const names = new SecondNames(
    {
      separate: ({ path }) => {
        tried.push(path);
        return path === "/t/good" ? { change: "separated", copy: FACTS } : { change: "shared" };
      },
    },
    [TREE],
    new OwnChanges(),
  );
  const shared = ["/t/good", "/t/bad", "/elsewhere"].map((path) => ({ path, facts: FACTS }));
  const told = Array.from({ length: 6 }, () => names.separate(shared).map(({ change }) => change));
  const later = ["separated"];
  assert.deepStrictEqual(told, [["separated", "shared"], later, later, later, later, later]);
  assert.deepStrictEqual(tried.filter((path) => path === "/t/bad").length, 4);
});

Deno.test("S21 SecondNames.separate() comes to each file, however many stay shared, and copies so much at a look", () => {
  const separated: string[] = [];
  const names = new SecondNames(
    {
      separate: ({ path }) => {
        if (path.startsWith("/t/stays")) return { change: "shared" };
        separated.push(path);
        return { change: "separated", copy: FACTS };
      },
    },
    [TREE],
    new OwnChanges(),
  );
  const file = (path: string, size: bigint) => ({ path, facts: { ...FACTS, size } });
  const staying = Array.from({ length: 300 }, (_, index) => file(`/t/stays${index}`, 0n));
  const large = Array.from({ length: 3 }, (_, index) => file(`/t/large${index}`, 40n * 1024n * 1024n));
  const shared = [...staying, ...large, file("/t/small", 1n)];
  const looks = Array.from({ length: 10 }, () => {
    names.separate(shared.filter(({ path }) => !separated.includes(path)));
    return [...separated];
  });
  assert.deepStrictEqual(looks.at(-1), ["/t/small", "/t/large0", "/t/large1", "/t/large2"]);
  assert.ok(looks.some((seen) => seen.length === 3), "two large files are more than one look copies");
});

Deno.test("S21 OwnChanges.without() leaves out what taking apart made, and nothing else", () => {
  const copies = { "/t/a": 1n, "/t/b": 1n, "/t/e": undefined };
  const own = new OwnChanges();
  const names = new SecondNames(
    {
      separate: ({ path }) => {
        const inode = Object.entries(copies).find(([one]) => one === path)?.[1];
        return { change: "separated", copy: inode === undefined ? undefined : { ...FACTS, inode } };
      },
    },
    [TREE],
    own,
  );
  const told = names.separate(Object.keys(copies).map((path) => ({ path, facts: FACTS })));
  assert.deepStrictEqual(told, [
    { path: "/t/a", change: "separated" },
    { path: "/t/b", change: "separated" },
    { path: "/t/e", change: "separated" },
    { path: "/t/e", change: "changed" },
  ]);
  const [was, copy] = [fingerprintOf(FACTS), fingerprintOf({ ...FACTS, inode: 1n })];
  const changed = (path: string): ProtectedChange => ({ path, change: "changed" });
  const changes = ["/t", "/t/a", "/t/b", "/t/c", "/t/e"].map(changed);
  const before = view({ "/t": "1", "/t/a": was, "/t/b": was, "/t/c": was, "/t/e": was });
  // A command wrote "b" after it was taken apart.
  const after = view({ "/t": "2", "/t/a": copy, "/t/b": "evil", "/t/c": copy, "/t/e": copy });
  assert.deepStrictEqual(own.without(changes, before, after), ["/t", "/t/b", "/t/c", "/t/e"].map(changed));
});
