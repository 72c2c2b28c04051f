import assert from "node:assert/strict";
import fc from "fast-check";
import { Libc } from "../../system/libc.ts";
import { TreeMaker } from "../../system/open_files/tree_maker.ts";
import { isWithin } from "../../system/paths.ts";
import type { PathGrant, PinnedDirectory, PrivateTemporary } from "../policy/policy.ts";
import { supportedProcessor } from "../policy/prerequisites.ts";
import { pathOutside, privateTemporary } from "./private_temporary.ts";

const PLACES = [...new Set([Deno.realPathSync("/tmp"), Deno.realPathSync("/var/tmp")])];
const [TMP = "/tmp"] = PLACES;

function tree(path: string): PinnedDirectory {
  return { path, device: 0n, inode: 0n };
}

/** Makes the mount points for a policy that writes to `writable` and reads `grants`. */
function made(writable: readonly string[], grants: readonly PathGrant[], then: (found: Made) => void): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) throw new Error(processor.problem);
  const libc = new Libc();
  using make = new TreeMaker();
  try {
    Deno.mkdirSync(`${root}/t`);
    const temporary = privateTemporary({
      tree: tree(`${root}/t`),
      root,
      make,
      covers: { directory: `${root}/empty`, file: `${root}/nothing` },
      points: { inTemporary: new Set() },
      writable: writable.map(tree),
      grants,
      identityOf: (path) => libc.identityOf(path),
    });
    const names = Deno.readDirSync(`${root}/t`).map(({ name }) => name).toArray().sort();
    then({ temporary, names, root: root.slice(TMP.length + 1) });
  } finally {
    libc[Symbol.dispose]();
    Deno.removeSync(root, { recursive: true });
  }
}

interface Made {
  readonly temporary: PrivateTemporary | undefined;
  /** What lies in the temp directory. */
  readonly names: readonly string[];
  /** Name of the session's directory, which lies in `TMP`. */
  readonly root: string;
}

Deno.test("S5 privateTemporary() makes a mount point for each outermost path below /tmp, deep ones out of commands' reach", () => {
  const grants = [
    { path: `${TMP}/ca.pem`, kind: "file", rights: 4 },
    { path: `${TMP}/w/deep/in/it`, kind: "directory", rights: 12 },
    { path: "/usr", kind: "directory", rights: 12 },
  ] as const;
  made([`${TMP}/w/deep`, `${TMP}/direct`, "/home/p"], grants, ({ temporary, names, root }) => {
    assert.deepStrictEqual(names, ["ca.pem", "direct", root, "w"].sort());
    assert.deepStrictEqual(temporary?.places, PLACES);
    assert.deepStrictEqual(
      temporary?.points.map(({ path }) => path).sort(),
      [
        `${TMP}/ca.pem`,
        `${TMP}/direct`,
        `${TMP}/${root}/empty`,
        `${TMP}/${root}/nothing`,
        `${TMP}/w/deep`,
      ].sort(),
    );
    assert.deepStrictEqual(temporary?.ways.map(({ at }) => at.path).sort(), [`${TMP}/${root}`, `${TMP}/w`].sort());
    const inodes = [...temporary?.points ?? [], ...temporary?.ways.map(({ at }) => at) ?? []].map(({ inode }) => inode);
    assert.equal(new Set(inodes).size, 7, "each has one of its own");
  });
});

Deno.test("S5 privateTemporary() leaves a place alone that commands may use themselves", () => {
  made([TMP], [], ({ temporary }) => assert.deepStrictEqual(temporary?.places, PLACES.filter((path) => path !== TMP)));
  made([], [{ path: "/", kind: "directory", rights: 4 }], ({ temporary }) => assert.equal(temporary, undefined));
});

Deno.test("S5 privateTemporary() does without where one name is wanted for a file and a directory", () => {
  const grants = PLACES.map((place, index) => ({
    path: `${place}/x${index === 0 ? "" : "/y"}`,
    kind: "file",
    rights: 4,
  }));
  made([], grants as PathGrant[], ({ temporary }) => assert.equal(temporary, undefined));
});

Deno.test("S5 pathOutside() leads into the temp directory exactly what commands see of it in /tmp", () => {
  const temporary: PrivateTemporary = {
    tree: tree("/tmp/s/tmp"),
    places: ["/tmp", "/var/tmp"],
    ways: [{ at: tree("/tmp/s"), source: tree("/tmp/s/ways/tmp/s") }],
    points: [],
    covers: { directory: "/tmp/s/empty", file: "/tmp/s/nothing" },
  };
  const policy = { temporary, writable: [tree("/tmp/s/tmp"), tree("/tmp/p")], grants: [] };
  const told = ["/tmp/x", "/var/tmp/a/b", "/tmp", "/tmp/p/x", "/tmp/s/tmp/x", "/tmp/s/files", "/tmpx", "/etc"]
    .map((path) => pathOutside(policy, path));
  assert.deepStrictEqual(told, [
    "/tmp/s/tmp/x",
    "/tmp/s/tmp/a/b",
    "/tmp/s/tmp",
    "/tmp/p/x",
    "/tmp/s/tmp/x",
    "/tmp/s/files",
    "/tmpx",
    "/etc",
  ]);
  const names = fc.array(fc.constantFrom("tmp", "s", "p", "x", "var"), { minLength: 1, maxLength: 4 });
  fc.assert(fc.property(names, (parts) => {
    const path = `/${parts.join("/")}`;
    const outside = pathOutside(policy, path);
    assert.ok(outside === path || isWithin(outside, temporary.tree.path));
    assert.equal(pathOutside({ writable: policy.writable, grants: [] }, path), path);
  }));
});
