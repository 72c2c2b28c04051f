import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import assert from "node:assert/strict";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import { SecondNames } from "./hard_links.ts";

const TREE = { path: "/t", device: 1n, inode: 2n };
const FACTS = { device: 1n, inode: 3n, kind: "file", mode: 0o644, links: 2, size: 0n, changedAt: 0n } as const;

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
    complete: true,
  };
}

Deno.test("S21 SecondNames.separate() tells of a file that stays shared once, and tries it a few times", () => {
  const tried: string[] = [];
  const names = new SecondNames({
    separate: ({ path }) => {
      tried.push(path);
      return path === "/t/good" ? "separated" : "shared";
    },
  }, [TREE]);
  const shared = ["/t/good", "/t/bad", "/elsewhere"].map((path) => ({ path, facts: FACTS }));
  const told = Array.from({ length: 6 }, () => names.separate(shared).map(({ change }) => change));
  const later = ["separated"];
  assert.deepStrictEqual(told, [["separated", "shared"], later, later, later, later, later]);
  assert.deepStrictEqual(tried.filter((path) => path === "/t/bad").length, 4);
});

Deno.test("S21 SecondNames.separate() comes to each file, however many stay shared, and copies so much at a look", () => {
  const separated: string[] = [];
  const names = new SecondNames({
    separate: ({ path }) => {
      if (path.startsWith("/t/stays")) return "shared";
      separated.push(path);
      return "separated";
    },
  }, [TREE]);
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

Deno.test("S21 SecondNames.withoutOwn() leaves out what taking apart made, and nothing else", () => {
  const names = new SecondNames({ separate: () => "separated" }, [TREE]);
  const separated: readonly ProtectedChange[] = [{ path: "/a/x", change: "separated" }, {
    path: "/b",
    change: "separated",
  }, { path: "/e", change: "shared" }];
  const seen = { "/a": "1", "/b": "1", "/c": "1", "/e": "1" };
  names.remember(separated, view(seen), view({ ...seen, "/a": "2", "/b": "2", "/d": "2", "/e": "2" }));
  names.remember(separated, view({ "/a": "2", "/d": "1" }), view({ "/a": "3", "/d": "2" }));
  const changed = (path: string): ProtectedChange => ({ path, change: "changed" });
  const changes = ["/a", "/b", "/c", "/d", "/e"].map(changed);
  const before = view({ ...seen, "/d": "1" });
  // A command wrote the last two while others were taken apart.
  const after = view({ "/a": "3", "/b": "evil", "/c": "2", "/d": "2", "/e": "2" });
  assert.deepStrictEqual(names.withoutOwn(changes, before, after), ["/b", "/c", "/d", "/e"].map(changed));
});
