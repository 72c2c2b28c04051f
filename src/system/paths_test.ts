import assert from "node:assert/strict";
import { Libc } from "./libc.ts";
import {
  absolutePath,
  existingPart,
  isWithin,
  linksSeenBy,
  memoizedLinks,
  parentOf,
  placeOf,
  trustedPath,
} from "./paths.ts";

Deno.test("isWithin() does not take a sibling with the same beginning", () => {
  assert.deepStrictEqual(
    [isWithin("/a/b", "/a"), isWithin("/a", "/a"), isWithin("/ab", "/a"), isWithin("/x", "/")],
    [true, true, false, true],
  );
});

Deno.test("parentOf() of the root is the root", () => {
  assert.deepStrictEqual(["/a/b", "/a", "/"].map(parentOf), ["/a", "/", "/"]);
});

Deno.test("S4 trustedPath() follows links, but none that a command could have planted", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const name of ["scope", "real", "home/.ssh"]) await Deno.mkdir(`${base}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${base}/real/file`, "");
    await Deno.symlink("../real", `${base}/home/good`);
    await Deno.symlink(`${base}/home/.ssh`, `${base}/scope/planted`);
    await Deno.symlink(`${base}/scope/planted`, `${base}/home/through`);
    await Deno.symlink("loop", `${base}/home/loop`);
    const trusted = (path: string) => trustedPath(`${base}/${path}`, [`${base}/scope`])?.slice(base.length);
    assert.deepStrictEqual(
      ["home/good/file", "home/../real/./file", "scope/planted", "home/through", "home/loop", "none", "real/file/x"]
        .map(trusted),
      ["/real/file", "/real/file", undefined, undefined, undefined, undefined, undefined],
    );
    assert.deepStrictEqual(trustedPath("/", []), "/");
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("absolutePath() takes the steps up that a path begins with", () => {
  assert.deepStrictEqual(
    ["a/../b", "../x", "./../../x", "..", "/x", "../../../x"].map((path) => absolutePath(path, "/a/b")),
    ["/a/b/a/../b", "/a/x", "//x", "/a/", "/x", "//x"],
  );
});

Deno.test("S4 existingPart() and placeOf() go as far as there is anything, links followed by the second alone", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/real`);
    await Deno.symlink(`${base}/real`, `${base}/link`);
    const rows: readonly (readonly [path: string, existing: string, place: string])[] = [
      [`${base}/link`, `${base}/link`, `${base}/real`],
      [`${base}/link/a/b`, `${base}/link`, `${base}/real/a/b`],
      [`${base}/none/a`, base, `${base}/none/a`],
      ["/", "/", "/"],
      ["/no-such-directory/a", "/", "/no-such-directory/a"],
    ];
    for (const [path, existing, place] of rows) {
      assert.deepStrictEqual([path, existingPart(path), placeOf(path)], [path, existing, place]);
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("linksSeenBy() answers as the runtime does, also where that is kept from looking", () => {
  const base = Deno.makeTempDirSync();
  const libc = new Libc();
  try {
    Deno.symlinkSync("led", `${base}/link`);
    Deno.symlinkSync("nowhere", `${base}/dangling`);
    Deno.mkdirSync(`${base}/led`);
    const names = ["", "/link", "/dangling", "/led", "/none", "/led/none"].map((name) => base + name);
    const answers = (read?: (path: string) => string | undefined) =>
      [...names, "/proc/self", "/dev/stdin", "/dev/none"].map(memoizedLinks(new Map(), read));
    assert.deepStrictEqual(answers(linksSeenBy((path) => libc.lookAt(path))), answers());
  } finally {
    libc[Symbol.dispose]();
    Deno.removeSync(base, { recursive: true });
  }
});
