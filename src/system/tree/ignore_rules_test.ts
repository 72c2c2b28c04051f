import assert from "node:assert/strict";
import fc from "fast-check";
import { parentOf } from "../paths.ts";
import { IgnoreRules } from "./ignore_rules.ts";

const FILES = [
  "a",
  "ab",
  ".a",
  "a b",
  "[a]",
  "{a,b}",
  "x/a",
  "x/ab",
  "x/y/a",
  "x/y/b a",
  "x/y/z/a.b",
  "aa/a",
  "aa/b/x",
];
const PIECES = [
  "a",
  "b",
  "x",
  "y",
  ".",
  " ",
  "*",
  "**",
  "?",
  "/",
  "/",
  "[ab]",
  "[!a]",
  "\\",
  "!",
  "#",
  "{a,b}",
  "[",
  "a ",
];
const RULES = fc.array(
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""))
    // git takes what ends with a backslash, or breaks off in a class, for no pattern; here it stands for itself. Stars
    // that are no segment of their own are one star by its documents, and not always by its code.
    .filter((line) => !/\\ *$|\[(?![ab!]{1,2}\])|[^/!]\*\*|\*\*[^/]/.test(line)),
  { minLength: 1, maxLength: 4 },
).map((lines) => lines.join("\n"));

/** Files that are ignored: themselves, or a directory that holds them. */
function ignored(top: string, inner: string): readonly string[] {
  const ofRoot = IgnoreRules.NONE.within("", { git: top, isRepository: true });
  const below = ofRoot.within("x", { git: inner, isRepository: false });
  return FILES.filter((file) => {
    const names = file.split("/");
    return names.some((_, index) => {
      const path = names.slice(0, index + 1).join("/");
      const rules = path.startsWith("x/") ? below : ofRoot;
      return rules.ignores(path, { isDirectory: index + 1 < names.length });
    });
  });
}

async function git(directory: string, args: readonly string[], input = ""): Promise<string> {
  const child = new Deno.Command("git", {
    args: ["-c", "core.excludesFile=/dev/null", ...args],
    cwd: directory,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

Deno.test("K3 the rules of .gitignore leave out what git leaves out", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ahma-ignored-" });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => Deno.remove(directory, { recursive: true }));
  for (const file of FILES) {
    await Deno.mkdir(parentOf(`${directory}/${file}`), { recursive: true });
    await Deno.writeTextFile(`${directory}/${file}`, "");
  }
  await git(directory, ["init", "--quiet"]);
  await fc.assert(
    fc.asyncProperty(RULES, RULES, async (top, inner) => {
      await Deno.writeTextFile(`${directory}/.gitignore`, top);
      await Deno.writeTextFile(`${directory}/x/.gitignore`, inner);
      const told = await git(directory, ["check-ignore", "--no-index", "-z", "--stdin"], FILES.join("\0"));
      assert.deepEqual(ignored(top, inner), told.split("\0").slice(0, -1), JSON.stringify([top, inner]));
    }),
    { numRuns: 100 },
  );
});

Deno.test("S22 the rules of a hostile project are tried at once on the deepest names", () => {
  const path = "a/".repeat(1_000) + "a".repeat(200);
  for (const line of ["*a".repeat(500), "**/a/".repeat(500), "*[a]".repeat(500), "**/*a".repeat(500)]) {
    const rules = IgnoreRules.NONE.within("", { git: `${line}b`, isRepository: true });
    assert.ok(!rules.ignores(`${path}cb`, { isDirectory: false }));
  }
});
