import assert from "node:assert/strict";
import { ownRoot, type RootQuestion } from "./own_root.ts";
import { TreeMaker } from "../../system/open_files/tree_maker.ts";
import type { OwnRoot } from "../policy/policy.ts";

/** Everything in a directory, with the targets of links; directories end in `/`. */
function namesIn(directory: string, below = ""): readonly string[] {
  return [...Deno.readDirSync(`${directory}${below}`)].flatMap((entry) => {
    const name = `${below}/${entry.name}`;
    if (entry.isSymlink) return [`${name} -> ${Deno.readLinkSync(`${directory}${name}`)}`];
    return entry.isDirectory ? [`${name}/`, ...namesIn(directory, name)] : [name];
  }).sort();
}

function made(
  question: Partial<RootQuestion>,
): { readonly root: OwnRoot | undefined; readonly names: readonly string[] } {
  const directory = Deno.makeTempDirSync();
  using make = new TreeMaker();
  try {
    const root = ownRoot({
      writable: [],
      grants: [],
      root: directory,
      make,
      covers: { directory: "/s/empty", file: "/s/nothing" },
      seen: [],
      links: [],
      identityOf: (path) => {
        const { dev, ino } = Deno.lstatSync(path);
        return { device: BigInt(dev), inode: BigInt(ino ?? 0) };
      },
      ...question,
    });
    return { root, names: root === undefined ? [] : namesIn(`${directory}/root`) };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function tree(path: string) {
  return { path, device: 1n, inode: 2n };
}

function grant(path: string, kind: "directory" | "file" = "directory") {
  return { path, kind, rights: 0xc };
}

/** What every root has. */
const ALWAYS = made({}).names;

Deno.test("S8 ownRoot() has a mount point for each outer tree and file, the ways there, and nothing else", () => {
  const { root, names } = made({
    writable: [tree("/volume/project"), tree("/usr/local/own")],
    grants: [
      grant("/usr"),
      grant("/usr/share/x"),
      grant("/volume/project/in"),
      grant("/etc/hosts", "file"),
      grant("/proc"),
    ],
    seen: ["/home/u"],
  });
  assert.deepStrictEqual(names.filter((name) => !ALWAYS.includes(name)), [
    "/etc/",
    "/etc/hosts",
    "/home/",
    "/home/u/",
    "/usr/",
    "/volume/",
    "/volume/project/",
  ]);
  assert.deepStrictEqual([root?.trees, root?.points.map(({ path }) => path)], [["/usr", "/etc/hosts"], [
    "/volume/project",
  ]]);
  assert.ok(ALWAYS.includes("/dev/ptmx -> pts/ptmx") && ALWAYS.includes("/proc/") && ALWAYS.includes("/tmp/"));
});

Deno.test("S4 S8 ownRoot() keeps the links that lead to what is granted, and no others", () => {
  const link = (path: string, target: string, leadsTo: string) => ({ path, target, leadsTo });
  const { names } = made({
    writable: [tree("/data/home/u/project")],
    grants: [grant("/usr")],
    seen: ["/data/home/u"],
    links: [
      link("/bin", "usr/bin", "/usr/bin"),
      link("/home", "/data/home", "/data/home"),
      link("/srv/other", "/mnt/secret", "/mnt/secret"),
      link("/usr/lib64", "lib", "/usr/lib"),
    ],
  });
  const links = names.filter((name) => name.includes(" -> ") && !ALWAYS.includes(name));
  assert.deepStrictEqual([links, names.includes("/srv/")], [["/bin -> usr/bin", "/home -> /data/home"], false]);
});

Deno.test("S5 S8 ownRoot() leaves what lies in /tmp to the session's own, and is none where a grant opens the machine", () => {
  const temporary = {
    tree: tree("/tmp/s/tmp"),
    places: ["/tmp"],
    ways: [],
    points: [],
    covers: { directory: "", file: "" },
  };
  const { root, names } = made({
    writable: [tree("/tmp/s/tmp"), tree("/tmp/p")],
    covers: { directory: "/tmp/s/empty", file: "/tmp/s/nothing" },
    temporary,
  });
  assert.deepStrictEqual([root?.points, names.filter((name) => name.startsWith("/tmp"))], [[], ["/tmp/"]]);
  assert.strictEqual(made({ grants: [grant("/")] }).root, undefined);
});
