import { strict as assert } from "node:assert";
import { openScope, type Scope } from "./path_scope.ts";

interface Tree extends AsyncDisposable {
  /** Real path of the directory that holds `inside`, `inside2` (a neighbour whose name begins the same) and `outside`. */
  readonly base: string;
  readonly scope: Scope;
}

async function makeTree(): Promise<Tree> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  for (const directory of ["inside/sub/deep", "inside2", "outside/dir"]) {
    await Deno.mkdir(`${base}/${directory}`, { recursive: true });
  }
  await Deno.writeTextFile(`${base}/inside/file`, "");
  await Deno.symlink(`${base}/outside`, `${base}/inside/out`);
  await Deno.symlink("../outside/dir", `${base}/inside/out_relative`);
  await Deno.symlink(`${base}/outside/missing`, `${base}/inside/dangling_out`);
  await Deno.symlink("sub/missing", `${base}/inside/dangling_in`);
  await Deno.symlink("sub/deep", `${base}/inside/to_deep`);
  await Deno.symlink("loop", `${base}/inside/loop`);
  await Deno.symlink(`${base}/inside`, `${base}/link_to_inside`);
  const scope = await openScope([`${base}/link_to_inside`]);
  return { base, scope, [Symbol.asyncDispose]: () => Deno.remove(base, { recursive: true }) };
}

Deno.test("S16 openScope() keeps the real path of each directory once", async () => {
  await using tree = await makeTree();
  const scope = await openScope([`${tree.base}/link_to_inside`, `${tree.base}/inside`, `${tree.base}/inside2`]);
  assert.deepStrictEqual(scope.roots, [`${tree.base}/inside`, `${tree.base}/inside2`]);
  await assert.rejects(openScope([`${tree.base}/none`]), Deno.errors.NotFound);
  await assert.rejects(openScope([]), RangeError);
});

Deno.test("S16 resolveDirectory() gives the real path of a directory inside the scope", async () => {
  await using tree = await makeTree();
  const inside = `${tree.base}/inside`;
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, inside],
    [".", inside],
    ["sub", `${inside}/sub`],
    ["sub/..//sub/./deep/", `${inside}/sub/deep`],
    ["to_deep", `${inside}/sub/deep`],
    ["to_deep/..", `${inside}/sub`],
    [inside, inside],
    [`${tree.base}/link_to_inside/sub`, `${inside}/sub`],
    [`${tree.base}/outside/../inside/sub`, `${inside}/sub`],
  ];
  for (const [given, expected] of cases) {
    assert.deepStrictEqual(await tree.scope.resolveDirectory(given), { ok: true, value: expected });
  }
});

Deno.test("S16 resolveDirectory() refuses what is outside, whatever the way there, and names value and scope", async () => {
  await using tree = await makeTree();
  const { base } = tree;
  const cases: readonly (readonly [string, string])[] = [
    ["..", base],
    ["out", `${base}/outside`],
    ["out_relative", `${base}/outside/dir`],
    ["out/dir/..", `${base}/outside`],
    ["dangling_out", `${base}/outside/missing`],
    [`${base}/inside2`, `${base}/inside2`],
    ["/", "/"],
    ["/nowhere/at/all", "/nowhere/at/all"],
    ["none/../../outside", `${base}/outside`],
  ];
  for (const [given, leadsTo] of cases) {
    const leads = given === leadsTo ? "it is" : `it leads to "${leadsTo}",`;
    assert.deepStrictEqual(await tree.scope.resolveDirectory(given), {
      ok: false,
      problem: `Cannot use working directory "${given}": ${leads} outside the scope ` +
        `"${base}/inside"; give a path inside it`,
    });
  }
});

Deno.test("S16 resolveDirectory() refuses what is not a directory, with the reason", async () => {
  await using tree = await makeTree();
  const cases: readonly (readonly [string, RegExp])[] = [
    ["none", /^Cannot use working directory "none": it does not exist; give an existing directory inside the scope "/],
    ["~/project", /it does not exist \("~" is not expanded\); /],
    ["file", /it is not a directory; /],
    ["file/below", /Not a directory/],
    ["dangling_in", /it does not exist; /],
    ["loop", /[Tt]oo many levels of symbolic links/],
    ["", /^Cannot use working directory "": it is empty; /],
    ["a\0b", /^Cannot use working directory "a\\0b": it contains a NUL character/],
    ["a/".repeat(3000), /it is longer than 4096 bytes/],
    ["a".repeat(300), /File name too long/],
  ];
  for (const [given, expected] of cases) {
    const outcome = await tree.scope.resolveDirectory(given);
    assert.match(outcome.ok ? `accepted ${outcome.value}` : outcome.problem, expected);
  }
});

Deno.test("T9 contains() follows links as far as they exist, also for paths that are yet to be made", async () => {
  await using tree = await makeTree();
  const inside = `${tree.base}/inside`;
  const allowed: readonly (readonly [string, string])[] = [
    ["new.txt", `${inside}/sub/new.txt`],
    ["../new/deeper/x", `${inside}/new/deeper/x`],
    ["../dangling_in", `${inside}/sub/missing`],
    ["../to_deep/new", `${inside}/sub/deep/new`],
    ["none/../x", `${inside}/sub/x`],
    ["~", `${inside}/sub/~`],
    ["-rf", `${inside}/sub/-rf`],
  ];
  for (const [given, expected] of allowed) {
    assert.deepStrictEqual(await tree.scope.contains(given, `${inside}/sub`), { ok: true, value: expected });
  }
  const refused = ["../dangling_out", "../out/new", "../../x", "../to_deep/../../../x", "/etc/passwd", "../loop/x"];
  for (const given of refused) {
    const outcome = await tree.scope.contains(given, `${inside}/sub`);
    assert.ok(!outcome.ok, given);
  }
});

Deno.test("S16 a scope of the whole file system contains everything", async () => {
  const scope = await openScope(["/"]);
  assert.deepStrictEqual(await scope.contains("etc", "/"), { ok: true, value: "/etc" });
});
