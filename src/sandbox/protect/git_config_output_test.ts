import assert from "node:assert/strict";
import fc from "fast-check";
import { type GitValue, obeyedByGit, parseGitAnswer } from "./git_config_output.ts";

const PLACE = { top: "/t", home: "/home/u" };

function of(key: string, value: string, origin = "/t/.git/config"): GitValue {
  return { origin, key, value };
}

Deno.test("S21 parseGitAnswer() reads origins, keys and values as git lists them", () => {
  const answer = "file:/etc/gitconfig\0core.pager\nless\0file:.git/../inc\0filter.a\nb.clean\nx\ny\0" +
    "command line:\0safe.directory\n*\0file:/home/u/.gitconfig\0core.bare\0";
  assert.deepStrictEqual(parseGitAnswer(answer, "/t"), [
    of("core.pager", "less", "/etc/gitconfig"),
    of("filter.a", "b.clean\nx\ny", "/t/inc"),
    of("core.bare", "", "/home/u/.gitconfig"),
  ]);
});

Deno.test("S21 obeyedByGit() resolves hooks from the top, includes from their file, and ~ from home", () => {
  const { paths, programs, sources } = obeyedByGit([
    of("core.hookspath", "gh", "/home/u/.gitconfig"),
    of("core.hookspath", "~/hooks/./a/..", "/home/u/.gitconfig"),
    of("core.hookspath", "~other/hooks"),
    of("include.path", "../inc"),
    of("includeif.onbranch:feature.path", "more"),
    of("extensions.worktreeconfig", "true"),
    of("user.name", "a/b"),
  ], PLACE);
  assert.deepStrictEqual(paths, [
    "/home/u/.gitconfig",
    "/t/gh",
    "/home/u/hooks",
    "/t/.git/config",
    "/t/.git/hooks",
    "/t/inc",
    "/t/.git/more",
  ]);
  assert.deepStrictEqual(programs, []);
  assert.deepStrictEqual(sources, [
    "/home/u/.gitconfig",
    "/t/.git/config",
    "/t/inc",
    "/t/.git/HEAD",
    "/t/.git/more",
    "/t/.git/config.worktree",
  ]);
});

/** Values with the files that they make git run. */
const COMMANDS: readonly (readonly [string, string, readonly string[]])[] = [
  ["filter.x.clean", "python3 tools/clean.py %f", ["/t/tools/clean.py"]],
  ["core.fsmonitor", ".git/hooks/watch", ["/t/.git/hooks/watch"]],
  ["core.fsmonitor", "true", []],
  ["alias.deploy", "!cd sub/dir && ./deploy 'a/b'", ["/t/sub/dir", "/t/deploy", "/t/a/b"]],
  ["credential.https://example.org/x.helper", "!~/bin/helper --url=https://example.org/", ["/home/u/bin/helper"]],
  ["diff.img.textconv", "/usr/bin/exif", ["/usr/bin/exif"]],
  ["mergetool.mine.path", "tools/merge", ["/t/tools/merge"]],
  ["remote.origin.url", "../other/repository", []],
  ["pager.log", 'sh -c "bin/page $X/y"', ["/t/bin/page"]],
  ["merge.m.driver", "PATH=x/y bin/m %O", ["/t/x/y", "/t/bin/m"]],
];

Deno.test("S21 obeyedByGit() finds the files of the project that values name as programs", () => {
  for (const [key, value, programs] of COMMANDS) {
    assert.deepStrictEqual(obeyedByGit([of(key, value)], PLACE).programs, programs, `${key} = ${value}`);
  }
});

Deno.test("S21 obeyedByGit() says where configuration names more than can be looked at, of whatever kind", () => {
  const numbers = Array.from({ length: 513 }, (_, index) => index);
  const many: Readonly<Record<string, readonly GitValue[]>> = {
    programs: numbers.map((one) => of(`alias.a${one}`, `./x${one}`)),
    paths: numbers.map(() => of("core.hookspath", "a")).concat(numbers.map((one) => of("core.hookspath", `h${one}`))),
    sources: numbers.map((one) => of("user.name", "a", `/t/inc${one}`)),
  };
  for (const [kind, values] of Object.entries(many)) {
    const isComplete = [values, values.slice(0, 500)].map((some) => obeyedByGit(some, PLACE).complete);
    assert.deepStrictEqual(isComplete, [false, true], kind);
  }
});

Deno.test("S21 obeyedByGit() takes whatever configuration says, and names a bounded number of absolute paths", () => {
  const key = fc.oneof(fc.constantFrom("core.hookspath", "include.path", "alias.a", "filter.x.process"), fc.string());
  fc.assert(fc.property(fc.array(fc.tuple(key, fc.string({ unit: "binary" })), { maxLength: 200 }), (values) => {
    const obeyed = obeyedByGit(values.map(([one, value]) => of(one, value)), PLACE);
    for (const paths of [obeyed.paths, obeyed.programs]) {
      assert.ok(paths.length <= 513 && paths.every((path) => path.startsWith("/") && !path.includes("/../")));
    }
  }));
});
