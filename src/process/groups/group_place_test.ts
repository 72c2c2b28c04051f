import assert from "node:assert/strict";
import { type OwnGroup, ownGroup, placesFor, serversIn, usefulControllers } from "./group_place.ts";

const PLAIN = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";
const HYBRID = [
  "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755",
  "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids",
  "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw",
].join("\n");

Deno.test("S38 ownGroup() finds the server's group where version 2 is mounted, wherever that is", () => {
  const found = (mounts: string, group: string) => ownGroup(mounts, `8:pids:/x\n0::${group}\n`);
  assert.deepStrictEqual(found(PLAIN, "/"), { directory: "/sys/fs/cgroup", top: "/sys/fs/cgroup" });
  assert.deepStrictEqual(found(HYBRID, "/a b/c"), {
    directory: "/sys/fs/cgroup/unified/a b/c",
    top: "/sys/fs/cgroup/unified",
  });
  const inner = "9 8 0:30 /docker/id /my\\040groups rw - cgroup2 c rw";
  assert.deepStrictEqual(found(inner, "/docker/id/leaf"), { directory: "/my groups/leaf", top: "/my groups" });
  assert.deepStrictEqual(found(inner, "/docker/id"), { directory: "/my groups", top: "/my groups" });
});

Deno.test("S38 ownGroup() finds none that is read-only, out of sight or of version 1", () => {
  const readOnly = PLAIN.replace("rw,nosuid", "ro,nosuid");
  assert.equal(ownGroup(readOnly, "0::/a"), undefined);
  assert.equal(ownGroup(PLAIN, "8:pids:/a"), undefined, "no version 2");
  assert.equal(ownGroup(PLAIN, "0::/../other"), undefined, "outside the namespace");
  assert.equal(ownGroup("9 8 0:30 /docker/id /x rw - cgroup2 c rw", "0::/docker/idle"), undefined, "another group");
  assert.equal(ownGroup("", "0::/"), undefined);
});

/** The places for a server with this pid 7, where these files are there. */
function places(own: OwnGroup, files: Readonly<Record<string, string>>, user: "root" | "ordinary") {
  return placesFor({ own, isRoot: user === "root", pid: 7, read: (path) => files[path] });
}

Deno.test("S38 placesFor() names the top for root, and else a group that the server has to itself", () => {
  const own = { directory: "/g/user/app", top: "/g" };
  const machine = { "/g/cgroup.controllers": "memory pids", "/g/user/app/cgroup.type": "domain" };
  const alone = { ...machine, "/g/user/app/cgroup.controllers": "memory", "/g/user/app/cgroup.procs": "7\n" };
  const shared = { ...alone, "/g/user/app/cgroup.procs": "6\n7\n" };
  const [top, itself] = [{ directory: "/g", leavesFirst: false }, { directory: "/g/user/app", leavesFirst: true }];
  assert.deepStrictEqual(places(own, alone, "root"), [top, itself]);
  assert.deepStrictEqual(places(own, shared, "root"), [top]);
  assert.deepStrictEqual(places(own, alone, "ordinary"), [itself]);
  assert.deepStrictEqual(places(own, shared, "ordinary"), []);
});

Deno.test("S38 placesFor() takes the top of a container for what it is: a group like others", () => {
  const own = { directory: "/g", top: "/g" };
  const files = { "/g/cgroup.controllers": "memory", "/g/cgroup.type": "domain", "/g/cgroup.procs": "1\n7\n" };
  assert.deepStrictEqual(places(own, files, "root"), []);
  assert.deepStrictEqual(places(own, { ...files, "/g/cgroup.procs": "7\n" }, "root"), [
    { directory: "/g", leavesFirst: true },
  ]);
});

Deno.test("S38 placesFor() makes groups next to the one that the server moved to in an earlier session", () => {
  const own = { directory: "/g/app/ahma_mcp-server", top: "/g" };
  assert.deepStrictEqual(places(own, { "/g/cgroup.controllers": "memory" }, "root"), [
    { directory: "/g/app", leavesFirst: false },
  ]);
});

Deno.test("S38 usefulControllers() and serversIn() leave out what is of no use", () => {
  assert.deepStrictEqual(usefulControllers("cpuset cpu io memory hugetlb pids\n"), ["memory", "pids"]);
  assert.deepStrictEqual([usefulControllers("hugetlb\n"), usefulControllers(""), usefulControllers(undefined)], [
    [],
    [],
    [],
  ]);
  assert.deepStrictEqual(serversIn(["ahma_mcp-12", "ahma_mcp-server", "ahma_mcp-", "system.slice", "xahma_mcp-3"]), [
    12,
  ]);
});
